"""A receiver's view of a webhook, with the libraries standardwebhooks and PyJWT; prints JSON.

Standard input has the webhook as it came (headers, body), the app's secret, and for the JWT the
issuer and the audience.
"""

import hashlib
import json
import sys

import jwt
from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def signed(secret, body, headers):
    """What the library says of the headers of Standard Webhooks."""
    try:
        Webhook(secret).verify(body, headers)
        return "genuine"
    except WebhookVerificationError as refusal:
        return str(refusal)


def told(issuer, audience, headers, body):
    """The claims of the JWT, by the published keys; or why it is none."""
    token = headers["authorization"].removeprefix("Bearer ")
    try:
        key = jwt.PyJWKClient(issuer + "/.well-known/jwks.json").get_signing_key_from_jwt(token)
        claims = jwt.decode(
            token,
            key,
            algorithms=["EdDSA"],
            issuer=issuer,
            audience=audience,
            options={"require": ["aud", "exp", "iat", "iss", "jti", "sub", "body_sha256"]},
        )
    except jwt.PyJWTError as refusal:
        return type(refusal).__name__
    if claims["body_sha256"] != hashlib.sha256(body.encode()).hexdigest():
        return "another body"
    return claims


asked = json.load(sys.stdin)
answers = [
    {
        "signed": signed(one["secret"], one["body"], one["headers"]),
        "told": told(one["issuer"], one["audience"], one["headers"], one["body"]),
    }
    for one in asked
]
print(json.dumps(answers))
