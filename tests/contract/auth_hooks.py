"""Lets made-up requests to `/auth` get past "unknown": hooks of schemathesis for openapi/auth.json
(`tests/src/contract/issuer.rs`).

What is made up is no client, no code and no session, so that nearly all would be refused. Before a
request is sent, most of its parameters are replaced here by good ones, made for it; the rest stays
as made up. Which, is drawn from the request itself: the same request is always changed the same
way. Until a request of an operation was carried out nothing is left to chance, so that one is.
"""

import atexit
import base64
import collections
import itertools
import json
import os
import pathlib
import random
import subprocess
import urllib.parse

import requests
import schemathesis
from schemathesis.core.failures import ServerError

import identity_provider

BASE = os.environ["DAYBOOK_CONTRACT_BASE"]
# Where browsers find the server.
PUBLIC = os.environ["DAYBOOK_CONTRACT_PUBLIC"]
TALLY = os.environ["DAYBOOK_CONTRACT_TALLY"]
# The command that prints a link, which signs in the address that is appended.
LOGIN = json.loads(os.environ["DAYBOOK_CONTRACT_LOGIN"])
PROVIDER = identity_provider.start(int(os.environ["DAYBOOK_CONTRACT_PROVIDER"]))
CLIENTS = {
    one["clientId"]: one
    for one in json.loads(pathlib.Path(__file__).with_name("clients.json").read_text("utf-8"))[
        "items"
    ]
}

NUMBERS = itertools.count(1)
HTTP = requests.Session()
PERSON = "person@example.com"
# The origin and an address of an app that uses sessions.
WEB = "https://web.example.com"
RETURN = WEB + "/books"
COMMAND_LINE, WAITING = "daybook-cli", "http://127.0.0.1:51234/callback"
# The example of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
DEVICES = "urn:ietf:params:oauth:grant-type:device_code"


def address():
    """Of a client's own: nobody is limited for what others do."""
    a, b, c = (next(NUMBERS) % 2**24).to_bytes(3, "big")
    return f"10.{a}.{b}.{c}"


def send(method, path, status, headers=None, **rest):
    headers = {"X-Forwarded-For": address(), **(headers or {})}
    answer = HTTP.request(
        method, BASE + path, headers=headers, allow_redirects=False, timeout=30, **rest
    )
    HTTP.cookies.clear()
    assert answer.status_code == status, f"the fixture: {path}: {answer.status_code} {answer.text}"
    return answer


def basic(client):
    """HTTP Basic of a client, encoded as in forms (RFC 6749, 2.3.1)."""
    pair = map(urllib.parse.quote_plus, [client, CLIENTS[client].get("clientSecret", "")])
    return "Basic " + base64.b64encode(":".join(pair).encode()).decode()


def link():
    """The code of a link that signs in."""
    run = subprocess.run(
        [*LOGIN, f"guest-{next(NUMBERS) % 20}@example.com"], capture_output=True, check=True
    )
    return run.stdout.decode().strip().split("code=")[1]


def begun():
    """A sign-in through the provider, of which the browser comes back: parameters and cookie."""
    answer = send("GET", "/auth/provider?name=Example", 303)
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))
    code = f"code-{next(NUMBERS)}"
    identity_provider.CODES[code] = {
        "sub": "1",
        "email": PERSON,
        "email_verified": True,
        "nonce": asked["nonce"],
    }
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    return {"code": code, "state": asked["state"], "iss": PROVIDER}, cookie


def session():
    """The cookie of a browser in which the person has signed in."""
    fields, cookie = begun()
    answer = send("GET", "/auth/callback", 303, {"Cookie": cookie}, params=fields)
    cookies = [part.strip().split(";")[0] for part in answer.headers["Set-Cookie"].split(",")]
    return next(cookie for cookie in cookies if cookie.startswith("daybook_session="))


def asked(client, kind="code"):
    """What a client asks for."""
    return {
        "response_type": kind,
        "client_id": client,
        "redirect_uri": CLIENTS[client]["redirectUris"][0] if client in CLIENTS else WAITING,
        "scope": "openid email profile",
        "state": "st&te",
        "nonce": "n",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }


def sent(answer):
    """The parameters of the address that a browser is sent to."""
    to = urllib.parse.urlsplit(answer.headers["Location"])
    return dict(urllib.parse.parse_qsl(to.query) + urllib.parse.parse_qsl(to.fragment))


SESSION = session()
OWN = {"Origin": PUBLIC, "Cookie": SESSION}


def agreed(client):
    """A code, as the person allows the client what it asks for."""
    answer = send("POST", "/auth/consent", 303, OWN, data={**asked(client), "decision": "allow"})
    return sent(answer)["code"]


def redemption(client):
    return {
        "grant_type": "authorization_code",
        "code": agreed(client),
        "redirect_uri": asked(client)["redirect_uri"],
        "code_verifier": VERIFIER,
    }


def tokens(client):
    """The tokens for a code."""
    headers = {"Authorization": basic(client)}
    return send("POST", "/auth/token", 200, headers, data=redemption(client)).json()


def waiting():
    """The codes of a device."""
    return send("POST", "/auth/device/code", 200, data={"client_id": COMMAND_LINE}).json()


def decided():
    """The code of a device that the person has allowed."""
    codes = waiting()
    decide(codes["user_code"], "allow")
    return codes["device_code"]


def decide(code, decision):
    send("POST", "/auth/device", 200, OWN, data={"user_code": code, "decision": decision})


def forget(codes):
    """Ends what waits for a decision: only so many may wait."""
    decide(codes["user_code"], "deny")
    form = {
        "grant_type": DEVICES,
        "client_id": COMMAND_LINE,
        "device_code": codes["device_code"],
    }
    send("POST", "/auth/token", 400, data=form)


# Tokens that stay in force: who withdraws the consent gets new ones.
HELD = tokens("app")
KINDS = {}
# What a good request of an operation is: its parameters and its headers. One that has several kinds
# is known by both names.
BROWSER = lambda fields: lambda: (fields(), OWN)
PROGRAM = lambda fields: lambda: (fields(), {"Authorization": basic("app")})
BEARER = lambda: ({}, {"Authorization": "Bearer " + HELD["access_token"]})
ANYBODY = lambda fields: lambda: (fields(), {})
NOTHING = ANYBODY(dict)


def implicit():
    send("POST", "/auth/consent", 303, OWN, data={**asked("old-app", "token"), "decision": "allow"})
    return asked("old-app", "token")


def callback():
    fields, cookie = begun()
    return fields, {"Cookie": cookie}


GOOD = {
    "login": BROWSER(lambda: {"returnUrl": RETURN}),
    "showLink": ANYBODY(lambda: {"code": link()}),
    "signIn": BROWSER(lambda: {"code": link()}),
    "createLink": BROWSER(dict),
    # The server of the run has users.
    "showFirstUser": ANYBODY(lambda: {"code": "x"}),
    "createFirstUser": BROWSER(lambda: {"code": "x", "email": PERSON}),
    "mailLink": BROWSER(lambda: {"email": PERSON}),
    "beginSignIn": ANYBODY(lambda: {"name": "Example", "to": RETURN}),
    "finishSignIn": callback,
    "refresh": lambda: ({}, {"Origin": WEB, "Cookie": SESSION}),
    "logout": lambda: ({"returnUrl": RETURN}, {"Cookie": session()}),
    "signOut": lambda: ({"returnUrl": RETURN}, {"Origin": PUBLIC, "Cookie": session()}),
    "authorize": BROWSER(lambda: asked("app")),
    "authorize token": BROWSER(implicit),
    "authorizeByForm": ANYBODY(lambda: asked("app")),
    "consent": BROWSER(lambda: {**asked("app"), "decision": "allow"}),
    "listConsents": BROWSER(dict),
    "withdrawConsent": BROWSER(lambda: {"client_id": "spare"}),
    "showDevice": BROWSER(lambda: {"user_code": "BCDF-GHJK"}),
    "decideDevice": BROWSER(lambda: {"user_code": waiting()["user_code"], "decision": "allow"}),
    "decideDevice shown": BROWSER(lambda: {"user_code": waiting()["user_code"]}),
    "token code": PROGRAM(lambda: redemption("app")),
    "token refresh": PROGRAM(
        lambda: {"grant_type": "refresh_token", "refresh_token": tokens("app")["refresh_token"]}
    ),
    "token device": ANYBODY(
        lambda: {"grant_type": DEVICES, "client_id": COMMAND_LINE, "device_code": decided()}
    ),
    "deviceCode": ANYBODY(lambda: {"client_id": COMMAND_LINE, "scope": "email"}),
    "revoke": PROGRAM(lambda: {"token": tokens("app")["refresh_token"]}),
    "introspect access": PROGRAM(lambda: {"token": HELD["access_token"]}),
    "introspect refresh": PROGRAM(lambda: {"token": HELD["refresh_token"]}),
    "userinfo": BEARER,
    "userinfoByPost": BEARER,
    "openidConfiguration": NOTHING,
    "authorizationServer": NOTHING,
    "authorizationServerBelow": NOTHING,
    "jwks": NOTHING,
}
# What stands in place of a good value at times.
SCOPES = ["email", "openid", "openid email", "email offline_access x", "", "profile"]
STRANGE = {
    "returnUrl": ["https://evil.example/", "//web.example.com", WEB, WEB + "@x", "/auth/consents"],
    "to": ["/auth/device", "/auth/authorize?client_id=app", "https://evil.example/", "x"],
    "email": ["nobody@example.com", "a b", "", "PERSON@EXAMPLE.COM"],
    "name": ["Nobody", "example", ""],
    "scope": SCOPES,
    "prompt": ["none", "login", "consent", "select_account", "none login", "login consent", "x"],
    "max_age": ["0", "1", "999999", "-1", "x", "99999999999999999999"],
    "response_type": ["token", "code token", "id_token"],
    "response_mode": ["query", "fragment", "form_post"],
    "client_id": ["app", "old-app", "spare", COMMAND_LINE, "nobody"],
    "client_secret": ["", "s3cret/with+signs%", "x"],
    "redirect_uri": [WAITING, "https://old.example.com/", "https://evil.example/", "x", ""],
    "code_challenge_method": ["plain", "s256"],
    "grant_type": ["client_credentials", "password", "refresh_token", "authorization_code"],
    "user_code": ["BCDF-GHJK", "bcdfghjk", "x"],
    "decision": ["deny", "allow", "x"],
    "iss": ["https://evil.example", ""],
    "error": ["access_denied", "server_error"],
    "token": ["x", "a.b.c"],
    "token_type_hint": ["refresh_token", "access_token", "x"],
}
ORIGINS = [None, "null", "https://evil.example", WEB, PUBLIC, "x"]
COOKIES = [None, "daybook_session=1.x", "=;,", "daybook_session=", "x"]
AUTHORIZATIONS = [None, "Bearer x", "Basic", "Basic YTpi", "Basic ?", "Bearer", "x"]

COUNTS = collections.defaultdict(collections.Counter)


def accepted(name):
    return any(len(status) == 3 and status[0] in "23" for status in COUNTS[name])


def kind_of(rng, operation):
    """A kind of request of the operation: first each that was not carried out yet."""
    kinds = [name for name in GOOD if name.split(" ")[0] == operation]
    return next((name for name in kinds if not accepted(name)), rng.choice(kinds))


def changed(rng, fields, good):
    """Made-up parameters with most of the good ones in their place."""
    changed = {}
    for name in {**fields, **good, **dict.fromkeys(rng.sample(sorted(STRANGE), 2))}:
        roll = rng.random()
        if name in good and roll < 0.94:
            changed[name] = good[name]
        elif name in STRANGE and roll > 0.97:
            changed[name] = rng.choice(STRANGE[name])
        elif name in fields and roll > 0.9:
            changed[name] = fields[name]
    return changed


def kind_name(value):
    """What is no JSON, such as a body that is absent: the same in every run, unlike an address."""
    return type(value).__name__


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw["operationId"]
    made_up = [operation, case.path_parameters, case.query, case.body]
    if "parameters" not in case.operation.definition.raw and not isinstance(case.body, dict):
        # Always the same; what differs are its headers.
        made_up.append(sum(COUNTS[operation].values()))
    rng = random.Random(json.dumps(made_up, default=kind_name, sort_keys=True))
    kind = kind_of(rng, operation)
    sure, lively = not accepted(kind), rng.random() < 0.75
    fields, headers = GOOD[kind]() if sure or lively else ({}, {})
    is_form = "requestBody" in case.operation.definition.raw
    if sure:
        if is_form:
            case.body = dict(fields)
        elif fields:
            case.query = dict(fields)
    elif lively:
        if is_form and isinstance(case.body, dict):
            case.body = changed(rng, case.body, fields)
        elif not is_form and fields:
            case.query = changed(rng, dict(case.query or {}), fields)
    sendings = {"Origin": ORIGINS, "Cookie": COOKIES, "Authorization": AUTHORIZATIONS}
    case.cookies = {}
    for name, others in sendings.items():
        value = headers.get(name)
        if not sure and rng.random() < 0.12:
            value = rng.choice(others)
        case.headers.pop(name, None)
        if value is not None:
            case.headers[name] = value
    case.headers["X-Forwarded-For"] = address()
    KINDS[case.id] = kind


def status_of(operation, response):
    """The status; with a word where the request was not carried out although it is none of 4xx."""
    status, text = str(response.status_code), response.text
    to = (response.headers.get("location") or [""])[0]
    refused = (
        (status == "303" and "error=" in to)
        or ("<h1>Sign in</h1>" in text and operation not in {"login", "showLink"})
        or (operation == "introspect" and '"active":false' in text)
    )
    return f"{status} turned away" if refused and status[0] in "23" else status


@schemathesis.hook
def after_call(context, case, response):
    operation = case.operation.definition.raw["operationId"]
    status = status_of(operation, response)
    COUNTS[operation][status] += 1
    kind = KINDS.pop(case.id, operation)
    if kind != operation:
        COUNTS[kind][status] += 1
    if operation == "deviceCode" and status == "200":
        codes = response.json()
        if case.body.get("client_id") == COMMAND_LINE and "Authorization" not in case.headers:
            forget(codes)
    if operation == "withdrawConsent" and status == "303":
        HELD.update(tokens("app"))


@atexit.register
def report():
    for kind in GOOD:
        COUNTS[kind].update()
    with open(TALLY, "w", encoding="utf-8") as file:
        json.dump(COUNTS, file, indent=1, sort_keys=True)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Reads the document strictly.

    `default` stands for what no operation causes, such as 405 and 500; with it every status would
    count as documented. Nor has an answer a field that the document of the same version lacks.
    """
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            del operation["responses"]["default"]
    for schema in raw_schema["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    for name in ["AuthorizationForm", "TokenForm"]:
        del raw_schema["components"]["schemas"][name]["additionalProperties"]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """The provider reports an error, as it was made up: that is no failure of the server."""
    operation = case.operation.definition.raw["operationId"]
    told = response.status_code == 502 and operation == "finishSignIn"
    return not (told and isinstance(failure, ServerError))


# Where browsers may be sent.
KNOWN = [
    WEB + "/",
    "/auth/",
    PROVIDER + "/authorize?",
    "http://127.0.0.1:",
    "http://127.0.0.1/callback",
    "http://[::1]",
    *(uri for client in CLIENTS.values() for uri in client["redirectUris"]),
]


@schemathesis.check
def browsers_are_safe(context, response, case):
    """Pages run no script, are framed by nobody and kept nowhere; nobody is sent anywhere else."""
    headers = {name.lower(): values[0] for name, values in response.headers.items()}
    to = headers.get("location")
    # "/" is the console.
    assert to in (None, "/") or any(to.startswith(known) for known in KNOWN), f"sent to {to}"
    if headers.get("content-type", "").startswith("text/html"):
        assert "<script" not in response.text
        policy = headers.get("content-security-policy", "")
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert headers.get("cache-control") == "no-store"
    for cookie in response.headers.get("set-cookie") or []:
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/auth" in cookie, cookie
