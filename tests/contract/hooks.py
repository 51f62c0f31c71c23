"""Lets made-up requests get past "not found": hooks of schemathesis (`tests/src/contract.rs`).

Schemathesis makes requests from openapi/openapi.json. An id it makes up exists nowhere, so nearly
all would end in 404. Before a request is sent, most ids and references in it are replaced here by
ones that exist, and most dates and amounts by ones that can be read; the rest stays as made up.
Which, is drawn from the request itself: the same request is always changed the same way.
"""

import atexit
import base64
import collections
import itertools
import json
import os
import random
import subprocess
import time

import requests
import schemathesis
from schemathesis.openapi.checks import MissingContentType

BASE = os.environ["DAYBOOK_CONTRACT_BASE"]
# Permission or OWNER, STRANGER: the e-mail and the token of a caller.
CALLERS = json.loads(os.environ["DAYBOOK_CONTRACT_CALLERS"])
TALLY = os.environ["DAYBOOK_CONTRACT_TALLY"]
# The command that prints a link, which signs in the address that is appended.
LOGIN = json.loads(os.environ["DAYBOOK_CONTRACT_LOGIN"])

SESSION = requests.Session()
SESSION.headers["Authorization"] = f"Bearer {CALLERS['OWNER'][1]}"
NUMBERS = itertools.count(1)

# Mostly good ones: a body has many fields, and one bad value refuses it.
DATES = ["2024-01-31", "2024-02-29", "2024-12-31", "2025-06-15"] * 4 + [
    "0001-01-01",
    "9999-12-31",
    "2024-02-30",
    "yesterday",
]
AMOUNTS = ["1", "12.50", "0.01", "99999.99"] * 4 + ["0", "-3", "1,5", "1e3"]
TEXTS = [
    "Lunch",
    "Lunch with #friends",
    "2024-01-15 12.50 Cash Food Lunch",
    "Account 1 Account 2 5",
    "água",
    "a" * 300,
]
SEARCHES = [
    "account:Cash",
    "",
    "lunch",
    "account:Account1",
    "account:'Account 1' on:2024",
    "group:'Group 2' after:01/2023 before:$m+1",
    "is:draft",
    "is:trashed",
    "is:unchecked",
    "amount>5",
    "#friends",
    "using:Spare by:m",
    "account:Account3 by:d after:$d-30",
    "is:",
    "account:Cash on: 2024-1-1",
    "on:2024-02-30 lunch",
    "account:Cash -is:foo",
    "account:Cash lunch by:q",
    "account:",
    "after:never",
]
ZONES = ["UTC", "America/Sao_Paulo", "Pacific/Kiritimati"] * 4 + ["Nowhere/Atall"]


def send(path, body):
    answer = SESSION.post(BASE + path, json=body, timeout=30)
    assert (
        answer.status_code == 200
    ), f"the fixture: POST {path}: {answer.status_code} {answer.text}"
    return answer.json()


def made(path, body):
    return lambda: send(path(), body(next(NUMBERS)))


def in_book(rest):
    return lambda: f"/v5/books/{BOOK}{rest}"


def deleted(number):
    """A book that can be restored."""
    gone = send("/v5/books", {"name": f"Deleted {number}"})
    answer = SESSION.delete(f"{BASE}/v5/books/{gone['id']}", timeout=30)
    assert answer.status_code == 200, f"the fixture: DELETE: {answer.text}"
    return gone


def offered(number):
    """A book that is offered to the stranger."""
    book = send("/v5/books", {"name": f"Offered {number}"})
    send(f"/v5/books/{book['id']}/transfer", {"email": CALLERS["STRANGER"][0]})
    return book


def transaction(number):
    """Every second one is posted; the others are drafts, which all verbs take."""
    whole = {"date": DATES[number % 4], "amount": "5", "creditAccount": CASH, "debitAccount": FOOD}
    return {"description": f"Lunch {number} #friends", **(whole if number % 2 else {})}


def reconciliation(number):
    return {"account": CASH, "date": DATES[number % 4], "closingBalance": str(number)}


def settled(path):
    """An import when no worker is at it."""
    while True:
        thing = SESSION.get(f"{BASE}{path}", timeout=30).json()
        if thing["state"] not in {"READING", "RECORDING", "UNDOING"}:
            return thing
        time.sleep(1 / 50)


def preview():
    """The preview of a file with one record. A user has at most 20: of those that are not in the
    pool, older ones are discarded."""
    path = f"/v5/books/{BOOK}/imports"
    found = SESSION.get(f"{BASE}{path}", timeout=30).json()["items"]
    kept = POOLS.get("imports", [])
    for old in [old["id"] for old in found if old["id"] not in kept][8:]:
        SESSION.delete(f"{BASE}{path}/{old}", timeout=30)
    file = f"Date,Description,Amount\n2025-03-01,Cafe {next(NUMBERS)},-1\n"
    answer = SESSION.post(f"{BASE}{path}?account={CASH['id']}", data=file.encode(), timeout=30)
    assert answer.status_code == 200, f"the fixture: {answer.status_code} {answer.text}"
    return settled(f"{path}/{answer.json()['id']}")


def imported():
    """An import that is done."""
    path = f"/v5/books/{BOOK}/imports/{preview()['id']}"
    send(f"{path}/confirm", {})
    return settled(path)


BOOK = send("/v5/books", {"name": "Main", "autoPost": True})["id"]
# Not among what is changed and deleted below, so that there is always something to post between.
CASH, FOOD = (
    {"id": send(f"/v5/books/{BOOK}/accounts", {"name": name, "type": "ASSET"})["id"]}
    for name in ["Cash", "Food"]
)
# A comment belongs to one transaction, so all are on this one.
COMMENTED = send(f"/v5/books/{BOOK}/transactions", {"description": "Lunch"})["transaction"]["id"]
for permission, (email, _) in CALLERS.items():
    if permission not in {"OWNER", "STRANGER"}:
        send(f"/v5/books/{BOOK}/collaborators", {"email": email, "permission": permission})

ASKING = [f"Bearer {CALLERS[kind][1]}" for kind in ["VIEWER", "RECORDER", "POSTER", "STRANGER"]]


def requested(number):
    """An access request of somebody who is no EDITOR; its sender is not the owner."""
    path = f"{BASE}/v5/books/{BOOK}/collaborators/request"
    asking = {"Authorization": ASKING[number % len(ASKING)]}
    answer = requests.post(f"{path}?permission=EDITOR", headers=asking, timeout=30)
    assert answer.status_code == 204, f"the fixture: {answer.status_code} {answer.text}"
    return SESSION.get(path, timeout=30).json()["items"][0]


def key():
    """An API key. A user has at most ten, so older ones make room, and creates at most 30 in 30
    days, so later an older one serves."""
    listed = SESSION.get(f"{BASE}/v5/user/keys", timeout=30).json()["items"]
    for old in [one for one in listed if one["active"]][4:]:
        SESSION.delete(f"{BASE}/v5/user/keys/{old['id']}", timeout=30)
    body = {"name": f"Key {next(NUMBERS)}"}
    answer = SESSION.post(f"{BASE}/v5/user/keys", json=body, timeout=30)
    return answer.json() if answer.status_code == 200 else listed[0]


def signed_in():
    """The session cookie of a browser in which the owner has signed in: id and secret."""
    run = subprocess.run([*LOGIN, CALLERS["OWNER"][0]], capture_output=True, check=True)
    form = {"code": run.stdout.decode().strip().split("code=")[1]}
    answer = requests.post(
        f"{BASE}/auth/link", form, headers={"Origin": BASE}, allow_redirects=False, timeout=30
    )
    assert answer.status_code == 303, f"the fixture: sign-in: {answer.status_code} {answer.text}"
    return answer.cookies["daybook_session"]


BROWSER = signed_in()
# The authorization request of the built-in client; the challenge is that of RFC 7636, appendix B.
CONSENT = {
    "response_type": "code",
    "client_id": "daybook-cli",
    "redirect_uri": "http://127.0.0.1:51234/callback",
    "scope": "email",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "code_challenge_method": "S256",
    "decision": "allow",
}


def consent():
    """The consent of the owner to the built-in client."""
    answer = requests.post(
        f"{BASE}/auth/consent",
        CONSENT,
        headers={"Origin": BASE, "Cookie": f"daybook_session={BROWSER}"},
        allow_redirects=False,
        timeout=30,
    )
    assert answer.status_code == 303, f"the fixture: consent: {answer.status_code} {answer.text}"
    return {"id": CONSENT["client_id"]}


# Apps that nobody changes, to install.
BOTS = [
    send("/v5/apps", {"id": f"bot-{number}", "name": f"Bot {number}"})["id"] for number in range(12)
]

# Answers by status, of each operation.
COUNTS = collections.defaultdict(collections.Counter)

# What is behind each noun, and how to make one more.
MAKERS = {
    "accounts": made(
        in_book("/accounts"), lambda number: {"name": f"Account {number}", "type": "ASSET"}
    ),
    "groups": made(in_book("/groups"), lambda number: {"name": f"Group {number}"}),
    "transactions": made(in_book("/transactions"), transaction),
    "comments": made(
        in_book(f"/transactions/{COMMENTED}/comments"), lambda number: {"text": f"Why {number}?"}
    ),
    "files": made(
        in_book("/files"), lambda number: {"name": f"receipt-{number}.txt", "content": "YQ=="}
    ),
    # Files of reconciliations, which cannot be deleted.
    "statements": made(
        in_book("/files"), lambda number: {"name": f"statement-{number}.pdf", "content": "YQ=="}
    ),
    "queries": made(
        in_book("/queries"), lambda number: {"title": f"Query {number}", "query": "account:Cash"}
    ),
    "reconciliations": made(in_book("/reconciliations"), reconciliation),
    "imports": preview,
    "collections": made(lambda: "/v5/collections", lambda number: {"name": f"Shelf {number}"}),
    "collaborators": made(
        in_book("/collaborators"),
        lambda number: {"email": f"guest-{number}@example.com", "permission": "VIEWER"},
    ),
    "offered": lambda: offered(next(NUMBERS)),
    # Access requests: the next one of these callers replaces their former one.
    "request": lambda: requested(next(NUMBERS)),
    "apps": made(
        lambda: "/v5/apps", lambda number: {"id": f"app-{number}", "name": f"App {number}"}
    ),
    # One that is in the book already stays.
    "integrations": made(
        in_book("/integrations"), lambda number: {"agentId": BOTS[number % len(BOTS)]}
    ),
    "connections": made(
        lambda: "/v5/user/connections",
        lambda number: {
            "agentId": "some-bank",
            "type": "BANK",
            "name": "Bank",
            "uuid": str(number % 40),
        },
    ),
    "tokens": made(lambda: "/v5/user/tokens", lambda number: {"name": f"Token {number}"}),
    "keys": key,
    "sessions": lambda: {"id": signed_in().split(".")[0]},
    "consents": consent,
    # Books that may be renamed, locked, given away and deleted; `BOOK` stays as it is, so that the
    # others keep finding it.
    "books": made(lambda: "/v5/books", lambda number: {"name": f"Spare {number}"}),
    "deleted": lambda: deleted(next(NUMBERS)),
}
POOLS = {}


def fresh(noun):
    thing = MAKERS[noun]()
    return thing.get("transaction", thing)["id"]


for noun in MAKERS:
    POOLS[noun] = [fresh(noun) for _ in range(6)]
POOLS["events"] = [
    event["id"]
    for event in SESSION.get(f"{BASE}/v5/books/{BOOK}/events", timeout=30).json()["items"]
]

# An app that has something to say about every event: that it is not reached.
ECHO = send("/v5/apps", {"id": "echo", "name": "Echo", "webhookUrl": "http://127.0.0.1:1/"})["id"]
send(f"/v5/books/{BOOK}/integrations", {"agentId": ECHO})
for event in POOLS["events"]:
    SESSION.put(f"{BASE}/v5/books/{BOOK}/events/{event}/responses/{ECHO}", timeout=30)
POOLS["responses"] = [ECHO]

# What ends the life of things, and of which; most calls get new ones.
ENDING = {
    "deleteBook": "books",
    "transferBook": "books",
    "restoreBook": "deleted",
    "acceptBookTransfer": "offered",
    "declineBookTransfer": "offered",
    "deleteAccount": "accounts",
    "deleteAccountsBatch": "accounts",
    "deleteGroup": "groups",
    "deleteGroupsBatch": "groups",
    "removeTransaction": "transactions",
    "mergeTransactions": "transactions",
    "deleteComment": "comments",
    "deleteFile": "files",
    "deleteQuery": "queries",
    "deleteReconciliation": "reconciliations",
    "deleteImport": "imports",
    "confirmImport": "imports",
    "deleteConnection": "connections",
    "deleteIntegration": "integrations",
    "deleteCollection": "collections",
    "revokeToken": "tokens",
    "revokeApiKey": "keys",
    "endSession": "sessions",
    "withdrawConsent": "consents",
    "removeCollaborator": "collaborators",
    "declineBookAccessRequest": "request",
}
# What could take the book from the caller, or close it for all that follows.
ON_SPARE_BOOKS = {
    "deleteBook",
    "transferBook",
    "updateBook",
    "updateBookDeprecated",
    "closeBook",
    "addCollaborator",
}



def posted():
    """A transaction as most verbs take it."""
    return send(f"/v5/books/{BOOK}/transactions", transaction(1))["transaction"]["id"]


def after(verb):
    """A transaction on which this verb was performed."""

    def make():
        thing = posted()
        answer = SESSION.patch(
            f"{BASE}/v5/books/{BOOK}/transactions/{verb}", json={"id": thing}, timeout=30
        )
        assert answer.status_code == 200, f"the fixture: {verb}: {answer.text}"
        return thing

    return make


def draft():
    """A complete draft, which can be posted."""
    body = {**transaction(1), "draft": True}
    return send(f"/v5/books/{BOOK}/transactions", body)["transaction"]["id"]


# In which state a verb finds its transactions.
STATES = {
    "post": draft,
    "check": posted,
    "uncheck": after("check"),
    "trash": posted,
    "remove": posted,
    "untrash": after("trash"),
    "restore": after("trash"),
}
VERBS = {
    f"{verb}Transaction{suffix}": make
    for verb, make in STATES.items()
    for suffix in ["", "sBatch"]
}


# Whom a book can be given to.
USERS = [CALLERS["OWNER"][0]] * 3 + [CALLERS["EDITOR"][0], "nobody@example.com"]


def accepted(operation):
    """Whether a request of the operation was carried out. Until then nothing is left to chance, so
    that one is."""
    return any(status.startswith("2") for status in COUNTS[operation])


def likely(rng, operation, chance):
    return rng.random() < chance or not accepted(operation)


REPORTS = [
    "trial-balance",
    "balance-sheet",
    "income-statement",
    "cash-flow",
    "general-ledger",
    "journal",
    "changes",
]


def existing(rng, noun, operation):
    if noun == "reports":
        return rng.choice(REPORTS)
    if noun == "transactions" and operation in VERBS and likely(rng, operation, 0.5):
        return VERBS[operation]()
    if operation == "undoImport" and likely(rng, operation, 0.5):
        return imported()["id"]
    if noun == "request" and likely(rng, operation, 0.3):
        return fresh(noun)
    if ENDING.get(operation) == noun and likely(rng, operation, 0.7):
        return fresh(noun)
    return rng.choice(POOLS[noun])


def book(rng, operation):
    """The book that an operation is tried on."""
    if operation == "restoreBook":
        return existing(rng, "deleted", operation)
    if operation in {"getBookTransfer", "acceptBookTransfer", "declineBookTransfer"}:
        return existing(rng, "offered", operation)
    return existing(rng, "books", operation) if operation in ON_SPARE_BOOKS else BOOK


def reference(rng, noun, operation):
    names = {"accounts": "Account", "groups": "Group"}
    if noun in names and rng.random() < 0.3:
        return {"name": f"{names[noun]} {rng.randint(1, 12)}"}
    return {"id": rng.choice(POOLS[noun])}


def references(noun):
    return lambda rng, operation: [
        reference(rng, noun, operation) for _ in range(rng.randint(1, 3))
    ]


def one_of(values):
    """The first one is good."""
    return lambda rng, operation: rng.choice(values if accepted(operation) else values[:1])


def id_of(noun):
    return lambda rng, operation: existing(rng, noun, operation)


def to(noun):
    return lambda rng, operation: reference(rng, noun, operation)


def app_id(rng, operation):
    """A new one, or one that is taken; an update names one that exists."""
    if operation == "createApp" and likely(rng, operation, 0.8):
        return f"app-{next(NUMBERS)}"
    return existing(rng, "apps", operation)


def content(rng, operation):
    return base64.b64encode(rng.randbytes(rng.randint(0, 40))).decode()


# Field by field, what a body of this noun can hold.
FIELDS = {
    "accounts": {
        "id": id_of("accounts"),
        "type": one_of(["ASSET", "LIABILITY", "INCOMING", "OUTGOING"]),
        "groups": references("groups"),
    },
    "groups": {"id": id_of("groups"), "parent": to("groups")},
    "transactions": {
        "id": id_of("transactions"),
        "date": one_of(DATES),
        "amount": one_of(AMOUNTS),
        "description": one_of(TEXTS),
        "creditAccount": to("accounts"),
        "debitAccount": to("accounts"),
        "files": references("files"),
    },
    "comments": {"text": one_of(TEXTS)},
    "files": {"id": id_of("files"), "content": content},
    "queries": {"id": id_of("queries"), "query": one_of(SEARCHES)},
    "reconciliations": {
        "account": lambda rng, operation: CASH,
        "date": one_of(DATES),
        "closingBalance": one_of(AMOUNTS),
        "fileId": id_of("statements"),
        "add": lambda rng, operation: [rng.choice(POOLS["transactions"])],
        "remove": lambda rng, operation: [rng.choice(POOLS["transactions"])],
    },
    "imports": {
        "decisions": one_of([[], [{"record": 1, "outcome": "SKIPPED"}], [{"record": 9}]]),
        "acceptAbove": one_of([0.95, 0, 1, 2]),
        "createAccounts": one_of([["Uncategorised expenses"], []]),
    },
    "events": {"id": id_of("events")},
    "collections": {"id": id_of("collections")},
    "apps": {
        "id": app_id,
        "apiVersion": one_of(["v5", "v0", "v6"]),
        "menuOpenMode": one_of(["SIDEBAR", "EXPANDED", "POPUP"]),
        "events": one_of([["TRANSACTION_POSTED"], [], ["FILE_DELETED", "BOOK_OPENED"]]),
        "webhookUrl": one_of(["https://bot.example/hook", "http://localhost:1", "", "bot", None]),
        "webhookUrlDev": one_of(["http://localhost:3001", "ftp://bot.example"]),
        "menuUrl": one_of(["https://bot.example?book=${book.id}", "javascript:alert(1)"]),
        "logoUrl": one_of(["https://bot.example/logo.png", "data:image/png;base64,AA==", "data:"]),
    },
    "integrations": {"id": id_of("integrations"), "agentId": one_of(BOTS)},
    "connections": {
        "id": id_of("connections"),
        "agentId": one_of(["some-bank", "Some Bank"]),
        "type": one_of(["BANK", "APP"]),
        "uuid": lambda rng, operation: str(rng.randrange(60)),
    },
    "tokens": {"days": one_of([7, 1, 3650, 0, -1]), "books": lambda rng, operation: [BOOK]},
    "keys": {},
    "collaborators": {
        "email": lambda rng, operation: f"guest-{rng.randint(1, 60)}@example.com",
        "permission": one_of(["EDITOR", "POSTER", "RECORDER", "VIEWER", "NONE", "OWNER"]),
    },
    "books": {
        "id": id_of("books"),
        "timeZone": one_of(ZONES),
        "closingDate": one_of(DATES),
        "lockDate": one_of(DATES),
        "pageSize": one_of([1, 25, 100, 1000, 0, -1, 2**31]),
        "fractionDigits": one_of([0, 2, 8]),
    },
}
# Nearly every name the document makes up is empty, or taken by the second request. The makers count
# from 1.
for noun in ["accounts", "groups", "files", "collections", "connections", "apps", "books"]:
    FIELDS[noun]["name"] = (
        lambda rng, operation: rng.choice(["Account", "Group", "Ação", "9", "a/b?c"])
        + f" {rng.randrange(10**6, 10**7)}"
    )
# Without these nothing comes about.
NEEDED = {
    "accounts": ["name", "type"],
    "groups": ["name"],
    "comments": ["text"],
    "files": ["name"],
    "collections": ["name"],
    "apps": ["id", "name"],
    "books": ["name"],
    "transactions": ["date", "amount", "creditAccount", "debitAccount"],
    "queries": ["query"],
    "reconciliations": ["account", "date", "closingBalance"],
    "connections": ["agentId", "type", "uuid", "name"],
    "integrations": ["agentId"],
    "events": ["id"],
    "collaborators": ["email", "permission"],
}
ADDRESSES = ["https://app.example/done", "http://localhost:3000", "javascript:alert(1)", "/done"]
QUERY = {
    "plan": one_of(["PRO", ""]),
    "successUrl": one_of(ADDRESSES),
    "cancelUrl": one_of(ADDRESSES),
    "returnUrl": one_of(ADDRESSES),
    "query": one_of(SEARCHES),
    "account": id_of("accounts"),
    "after": one_of(DATES),
    "before": one_of(DATES),
    "timeZone": one_of(ZONES),
    "name": FIELDS["books"]["name"],
    "fromDate": one_of([20240101, 20241231, 0]),
    "resourceId": id_of("transactions"),
    "resoureId": id_of("accounts"),
}


def lively(rng, value, noun, operation):
    """The body with most of its fields replaced by what exists or can be read."""
    if not isinstance(value, dict):
        return value
    if operation in VERBS and not accepted(operation):
        item = {"id": VERBS[operation]()}
        return {"items": [item]} if operation.endswith("Batch") else item
    fields, value = FIELDS[noun], dict(value)
    if isinstance(value.get("items"), list):
        # A merge takes two; the other batches do nothing without an item.
        least = 2 if operation == "mergeTransactions" else 1
        items = value["items"] + [{}] * (least - len(value["items"]) if rng.random() < 0.9 else 0)
        value["items"] = [
            lively(rng, item, noun, operation) for item in items[: 2 if least == 2 else None]
        ]
        return value
    if operation == "transferBook" and likely(rng, operation, 0.85):
        return {**value, "email": one_of(USERS)(rng, operation)}
    names = set(value) & set(fields)
    names |= {
        name for name in ["id"] if name in fields and not operation.startswith(("create", "save"))
    }
    names |= set(NEEDED.get(noun, []))
    for name in sorted(names):
        if likely(rng, operation, 0.85):
            value[name] = fields[name](rng, operation)
    return value


def authorization(rng, operation):
    """Mostly the owner, who gets furthest; at times nobody, or what is no token."""
    owner = f"Bearer {CALLERS['OWNER'][1]}"
    if operation in {"requestBookAccess", "acceptBookTransfer"} and likely(rng, operation, 0.6):
        # The owner has nothing to ask for, and nothing to accept.
        return f"Bearer {CALLERS['STRANGER'][1]}"
    if likely(rng, operation, 0.83):
        return owner
    if rng.random() < 0.12:
        return rng.choice(["", "Bearer", "Bearer made.up.token", "Basic YTpi"])
    return "Bearer " + CALLERS[rng.choice(sorted(CALLERS))][1]


def kind_name(value):
    """What is no JSON, such as a body that is absent: the same in every run, unlike an address."""
    return type(value).__name__


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw["operationId"]
    rng = random.Random(
        json.dumps(
            [operation, case.path_parameters, case.query, case.body],
            default=kind_name,
            sort_keys=True,
        )
    )
    # An operation without parameters has but one request, which the owner sends.
    several = case.path_parameters or case.query or isinstance(case.body, (dict, list))
    case.headers["Authorization"] = (
        authorization(rng, operation) if several else f"Bearer {CALLERS['OWNER'][1]}"
    )
    nouns = [part for part in case.path.split("/") if part in MAKERS or part == "events"]
    known = set(itertools.chain(*POOLS.values()))
    for name, value in case.path_parameters.items():
        if not likely(rng, operation, 0.9):
            continue
        if name == "bookId":
            case.path_parameters[name] = book(rng, operation)
        elif name == "transactionId":
            case.path_parameters[name] = COMMENTED
        elif str(value) not in known:
            case.path_parameters[name] = existing(
                rng, case.path.split(f"/{{{name}}}")[0].rsplit("/")[-1], operation
            )
    if case.path_parameters.get("bookId") == BOOK and operation in ON_SPARE_BOOKS:
        case.path_parameters["bookId"] = existing(rng, "books", operation)
    for name in case.query or {}:
        if name in QUERY and likely(rng, operation, 0.7):
            case.query[name] = QUERY[name](rng, operation)
    # Nearly every key and every version made up is refused, and hides what is behind.
    for name in ["Idempotency-Key", "If-Match"]:
        if name in (case.headers or {}) and rng.random() < 0.9:
            del case.headers[name]
    if nouns and likely(rng, operation, 0.85):
        case.body = lively(rng, case.body, nouns[-1], operation)


@schemathesis.hook
def after_call(context, case, response):
    operation = case.operation.definition.raw["operationId"]
    COUNTS[operation][str(response.status_code)] += 1
    if operation in ENDING and response.status_code < 300:
        sent = json.dumps([case.path_parameters, case.body], default=kind_name)
        noun = ENDING[operation]
        POOLS[noun] = [fresh(noun) if f'"{thing}"' in sent else thing for thing in POOLS[noun]]


@atexit.register
def report():
    with open(TALLY, "w", encoding="utf-8") as file:
        json.dump(COUNTS, file, indent=1, sort_keys=True)


def copied(schema, prefix):
    """A part of the document that points to the definitions of this prefix."""
    return json.loads(json.dumps(schema).replace("#/definitions/", f"#/definitions/{prefix}"))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Reads the document strictly, and asks for what is read.

    `default` stands for what no operation causes, such as 405 and 500; with it every status would
    count as documented. Nor has an answer a field that the document of the same version lacks,
    though clients bear it (0.18). In a request only id and name are read of an account or a group
    inside something else, so that most of what could be made up there would be the same request
    again.
    """
    definitions = raw_schema["definitions"]
    answered, requested = copied(definitions, "Answered"), copied(definitions, "Requested")
    for definition in answered.values():
        if "properties" in definition:
            definition.setdefault("additionalProperties", False)
    named = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string", "maxLength": 255}},
    }
    for name in ["Transaction", "Account", "Group"]:
        fields = requested[name]["properties"]
        for field in {"creditAccount", "debitAccount", "parent"} & set(fields):
            fields[field] = {**named, "x-nullable": True}
        if "groups" in fields:
            fields["groups"]["items"] = named
    # Accounts and groups in a book count when it is created (6.1); a collection takes ids of books.
    changed = {
        name: field
        for name, field in requested["Book"]["properties"].items()
        if name not in {"accounts", "groups"}
    }
    requested["ChangedBook"] = {**requested["Book"], "properties": changed}
    requested["BookList"]["properties"]["items"]["items"] = named
    definitions.update({f"Answered{name}": definition for name, definition in answered.items()})
    definitions.update({f"Requested{name}": definition for name, definition in requested.items()})
    for answer in raw_schema["responses"].values():
        answer["schema"] = copied(answer["schema"], "Answered")
    for operations in raw_schema["paths"].values():
        for operation in (
            operation for name, operation in operations.items() if name != "parameters"
        ):
            del operation["responses"]["default"]
            for answer in operation["responses"].values():
                if "schema" in answer:
                    answer["schema"] = copied(answer["schema"], "Answered")
            prefix = (
                "RequestedChanged"
                if operation["operationId"].startswith("updateBook")
                else "Requested"
            )
            operation["parameters"] = [
                (
                    {**parameter, "schema": copied(parameter["schema"], prefix)}
                    if parameter.get("in") == "body"
                    else parameter
                )
                for parameter in operation.get("parameters", [])
            ]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """In OpenAPI 2.0 `produces` stands for all answers; a 204 has no content that has a type."""
    return not (
        response.status_code == 204
        and not response.content
        and isinstance(failure, MissingContentType)
    )


@schemathesis.check
def tag_as_documented(context, response, case):
    """A header the document lacks is no contradiction, except an ETag (0.17)."""
    documented = "ETag" in case.operation.definition.raw["responses"].get(
        str(response.status_code), {}
    ).get("headers", {})
    assert documented == (
        "etag" in response.headers
    ), f"ETag: documented is {documented}, the answer has {response.headers.get('etag')}"
