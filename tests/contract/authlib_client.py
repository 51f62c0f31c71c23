"""A client of Python's Authlib, as its documentation writes one; prints JSON."""

import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet


def metadata(issuer):
    """What discovery tells."""
    answer = requests.get(issuer + "/.well-known/openid-configuration", timeout=10)
    answer.raise_for_status()
    found = answer.json()
    assert found["issuer"] == issuer, found
    return found


def session(client, secret, redirect_uri):
    """A session of a confidential client with PKCE."""
    return OAuth2Session(
        client,
        secret,
        scope="openid email profile",
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
    )


def begin(issuer, client, secret, redirect_uri):
    """Where to send the browser."""
    verifier, nonce = generate_token(48), generate_token()
    url, state = session(client, secret, redirect_uri).create_authorization_url(
        metadata(issuer)["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    return {"url": url, "state": state, "verifier": verifier, "nonce": nonce}


def finish(issuer, client, secret, redirect_uri, location, verifier, state, nonce):
    """From the answer in the browser to the end of all tokens."""
    found = metadata(issuer)
    app = session(client, secret, redirect_uri)
    tokens = app.fetch_token(
        found["token_endpoint"],
        authorization_response=location,
        state=state,
        code_verifier=verifier,
    )
    keys = KeySet.import_key_set(requests.get(found["jwks_uri"], timeout=10).json())
    token = jwt.decode(tokens["id_token"], keys, algorithms=["RS256"])
    claims = CodeIDToken(
        token.claims,
        token.header,
        {"iss": {"values": [issuer]}, "aud": {"values": [client]}},
        {"nonce": nonce, "client_id": client, "access_token": tokens["access_token"]},
    )
    claims.validate()
    userinfo = app.get(found["userinfo_endpoint"]).json()
    tokens = app.refresh_token(found["token_endpoint"])
    token = tokens["access_token"]
    introspected = app.introspect_token(found["introspection_endpoint"], token=token)
    revoked = app.revoke_token(found["revocation_endpoint"], token=token)
    after = app.introspect_token(found["introspection_endpoint"], token=token)
    return {
        "claims": dict(claims),
        "userinfo": userinfo,
        "introspected": introspected.json(),
        "revoked": revoked.status_code,
        "after": after.json(),
    }


def device(issuer, client):
    """What a program without a browser shows."""
    end = metadata(issuer)["device_authorization_endpoint"]
    return requests.post(end, data={"client_id": client, "scope": "email"}, timeout=10).json()


def poll(issuer, client, code):
    """The tokens of that program."""
    app = OAuth2Session(client, token_endpoint_auth_method="none")
    return app.fetch_token(
        metadata(issuer)["token_endpoint"],
        grant_type="urn:ietf:params:oauth:grant-type:device_code",
        device_code=code,
    )


FLOWS = {"begin": begin, "finish": finish, "device": device, "poll": poll}
print(json.dumps(FLOWS[sys.argv[1]](*sys.argv[2:])))
