"""Who may call what: every route with every role, and TLS."""
import http.client
import os
import shutil
import ssl
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service import NEURALTS, Service, ask  # noqa: E402

SHOP = {"context": {"country": "DE", "hour": 14},
        "actions": [{"id": "item7", "features": {"price": 3.5}}, {"id": "item9", "features": {"price": 8.0}}]}


class Access(unittest.TestCase):
    def test_every_route_with_every_role(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = os.path.join(folder, "tokens")
            given = {}
            for role in ("decide", "reward", "admin", "metrics"):
                made = subprocess.run([NEURALTS, "serve", "--tokens", tokens, "--new-token", role], capture_output=True, text=True, check=True)
                given[role] = made.stdout.strip()
            self.assertEqual(stat.S_IMODE(os.stat(tokens).st_mode), 0o600)
            self.assertNotIn(given["admin"], open(tokens).read())
            with Service("--tokens", tokens) as service:
                document = service.ask("GET", "/openapi.json")[1]
                pairs = 0
                for path, operations in document["paths"].items():
                    for method, operation in operations.items():
                        role = operation["x-role"]
                        target = path.replace("{loop}", "walk").replace("{event}", "nobody")
                        for name, token in (("none", None), ("forged", "nts_" + "0" * 64), *given.items()):
                            status, _ = service.ask(method.upper(), target, None, token)
                            pairs += 1
                            if role == "open" or name in (role, "admin"):
                                self.assertNotIn(status, (401, 403), (method, path, name))
                            else:
                                self.assertEqual(status, 401 if name in ("none", "forged") else 403, (method, path, name))
                self.assertGreater(pairs, 150)
                key = {"Ocp-Apim-Subscription-Key": given["decide"]}
                self.assertEqual(service.ask("POST", "/personalizer/v1.0/rank", {"actions": [{"id": "a"}]}, headers=key)[0], 201)
                # Tokens change while it runs.
                lines = [line for line in open(tokens) if not line.startswith("metrics")]
                with open(tokens, "w") as file:
                    file.writelines(lines)
                service.process.send_signal(1)
                service.wait_for(lambda: service.ask("GET", "/metrics", token=given["metrics"])[0] == 401)
                self.assertEqual(service.ask("GET", "/metrics", token=given["admin"])[0], 200)
                service.stop()
                self.assertNotIn("nts_", open(os.path.join(service.folder, "stderr")).read())
            before = open(tokens).read()
            torn = subprocess.run([NEURALTS, "serve", "--tokens", tokens, "--new-token", "admin", "--token-name", "two\nlines"], capture_output=True, text=True, timeout=30)
            self.assertEqual((torn.returncode, open(tokens).read()), (2, before), "a line that no service could read")
            os.chmod(tokens, 0o644)
            refused = subprocess.run([NEURALTS, "serve", "--tokens", tokens, "--dir", folder, "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=30)
            self.assertIn("chmod 600", refused.stderr)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not there")
    def test_tls_with_a_certificate_that_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = os.path.join(folder, "c.pem"), os.path.join(folder, "k.pem")

            def make(name):
                subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                                "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
            make("first")
            with Service("--certificate", certificate, "--key", key) as service:
                self.assertTrue(service.address.startswith("https://"))

                def call():
                    context = ssl.create_default_context(cafile=certificate)
                    connection = http.client.HTTPSConnection("127.0.0.1", service.port, timeout=20, context=context)
                    return ask(connection, "POST", "/v1/loops/default/rank", SHOP)[0]
                self.assertEqual(call(), 200)
                old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
                old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
                with self.assertRaises((ssl.SSLError, OSError)):
                    http.client.HTTPSConnection("127.0.0.1", service.port, timeout=5, context=old).request("GET", "/healthz")
                make("second")
                service.process.send_signal(1)

                def renewed():
                    try:
                        return call() == 200
                    except ssl.SSLError:
                        return False
                service.wait_for(renewed)


if __name__ == "__main__":
    unittest.main()
