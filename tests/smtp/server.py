"""Mail servers for the tests: aiosmtpd, each on a port of its own, in one process.

It reads orders from standard input and answers each with a line on standard output, both JSON; it
ends with its input.

  {"start": {"port", "tls": "none" | "starttls" | "implicit", "certificate", "key",
             "user", "password", "utf8"}} -> {"number"} or {"busy": true}
  {"refuse": {"number", "replies": {"SENDER" | "DATA" | an address: "550 why", ...}}}
  {"delay": {"number", "seconds"}}   how long it thinks before it answers to a recipient
  {"stop": {"number"}}               from now on nobody listens there
  {"mails": {"number"}} -> [{"from", "to", "options", "user", "tls", "hello", "data"}]
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Server:
    """What one mail server does, and what it has taken."""

    def __init__(self, order):
        self.order = order
        self.mails = []
        self.replies = {}
        self.delay = 0
        self.listening = None

    async def start(self):
        order = self.order
        options = {"enable_SMTPUTF8": order.get("utf8", True)}
        context = None
        if order["tls"] != "none":
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(order["certificate"], order["key"])
        if order["tls"] == "starttls":
            options |= {"tls_context": context, "require_starttls": True}
        if order.get("user"):
            options |= {"authenticator": self.authenticate, "auth_required": True}
            options["auth_require_tls"] = order["tls"] == "starttls"
        secure = context if order["tls"] == "implicit" else None
        loop = asyncio.get_running_loop()
        self.listening = await loop.create_server(
            lambda: SMTP(self, hostname="mail.test", **options), "127.0.0.1", order["port"],
            ssl=secure,
        )

    def authenticate(self, server, session, envelope, mechanism, data):
        known = (self.order["user"].encode(), self.order["password"].encode())
        success = (data.login, data.password) == known
        return AuthResult(success=success, handled=False, auth_data=data.login)

    async def handle_MAIL(self, server, session, envelope, address, options):
        if "SENDER" in self.replies:
            return self.replies["SENDER"]
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        await asyncio.sleep(self.delay)
        if address in self.replies:
            return self.replies[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if "DATA" in self.replies:
            return self.replies["DATA"]
        user = session.auth_data
        transport = server.transport
        self.mails.append({
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "options": envelope.mail_options,
            "user": user.decode() if isinstance(user, bytes) else None,
            "tls": transport.get_extra_info("ssl_object") is not None,
            "hello": session.host_name,
            "data": envelope.original_content.decode("utf-8"),
        })
        return "250 taken"


async def obey(order, servers):
    (verb, said), = order.items()
    if verb == "start":
        server = Server(said)
        try:
            await server.start()
        except OSError:
            return {"busy": True}
        servers.append(server)
        return {"number": len(servers) - 1}
    server = servers[said["number"]]
    if verb == "refuse":
        server.replies = said["replies"]
    elif verb == "delay":
        server.delay = said["seconds"]
    elif verb == "stop":
        server.listening.close()
    elif verb == "mails":
        return server.mails
    return {}


async def main():
    loop, servers = asyncio.get_running_loop(), []
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await obey(json.loads(line), servers)), flush=True)


asyncio.run(main())
