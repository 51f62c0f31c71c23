"""An OpenID provider as far as signing in through it needs one: it lets everybody in at once.

It runs in the process of the hooks (`auth_hooks.py`), which play the browser.
"""

import http.server
import json
import threading
import time
import urllib.parse

from joserfc import jwt
from joserfc.jwk import ECKey

CLIENT = "daybook"
KEY = ECKey.generate_key("P-256", {"kid": "1", "use": "sig", "alg": "ES256"})
# What to put into the ID token, by the code that is redeemed for it.
CODES = {}


class Handler(http.server.BaseHTTPRequestHandler):
    """Discovery, keys and the token endpoint."""

    def do_GET(self):
        issuer = self.server.issuer
        if self.path == "/.well-known/openid-configuration":
            self.answer(
                200,
                {
                    "issuer": issuer,
                    "authorization_endpoint": issuer + "/authorize",
                    "token_endpoint": issuer + "/token",
                    "jwks_uri": issuer + "/keys",
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["ES256"],
                },
            )
        elif self.path == "/keys":
            self.answer(200, {"keys": [KEY.as_dict(private=False)]})
        else:
            self.answer(404, {})

    def do_POST(self):
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        asked = dict(urllib.parse.parse_qsl(form))
        claims = CODES.pop(asked.get("code"), None)
        if claims is None:
            return self.answer(400, {"error": "invalid_grant"})
        now = int(time.time())
        claims = {"iss": self.server.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, **claims}
        token = jwt.encode({"alg": "ES256", "kid": "1"}, claims, KEY, algorithms=["ES256"])
        return self.answer(
            200,
            {"access_token": "a", "token_type": "Bearer", "expires_in": 300, "id_token": token},
        )

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        """Nothing is logged."""


def start(port):
    """Begins to answer at this port; the address of the issuer."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.issuer = f"http://127.0.0.1:{port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.issuer
