"""usage: gate_hostile.py [N [RATE]]: N broken requests and 1,000 stalled connections, while others ask RATE decisions a second.

One JSON object: what the broken requests were answered, and the others' errors and latency before, meanwhile and after. Fails on a 5xx, on
an error of the others, and when the service does not end in good order."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hostile import Attack, Stalled  # noqa: E402
from service import NEURALTS, Service  # noqa: E402

STALLED = 1000
BODY = {"context": {"country": "DE", "hour": 14},
        "actions": [{"id": "item7", "features": {"price": 3.5}}, {"id": "item9", "features": {"price": 8.0}}]}


def others(service, rate, seconds):
    """How those fare who mean well."""
    words = [NEURALTS, "load", "--url", service.address, "--loop", "others", "--rate", str(rate), "--seconds", str(seconds),
             "--connections", "16", "--json"]
    report = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return {key: report[key] for key in ("decisions", "rewards", "errors", "p50_ms", "p99_ms", "p999_ms")}


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    rate = float(sys.argv[2]) if len(sys.argv) > 2 else 500
    text = json.dumps(BODY)
    whole = (f"POST /v1/loops/default/rank HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
             f"Content-Length: {len(text)}\r\n\r\n{text}").encode()
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write(f"[limits]\nconnections_per_address = {2 * STALLED}\n")
        config.flush()
        with Service("--quiet", "--config", config.name) as service:
            service.ask("PUT", "/v1/loops/others", {"policy": "linear-ts"})
            result = {"before": others(service, rate, 10)}
            stalled, attack = Stalled(service.port, STALLED), Attack(service.port, whole, number)
            meanwhile = []
            while attack.thread.is_alive():
                meanwhile.append(others(service, rate, 10))
            stalled.close()
            result["meanwhile"] = {key: sum(part[key] for part in meanwhile) for key in ("decisions", "rewards", "errors")}
            for key in ("p50_ms", "p99_ms"):
                values = sorted(part[key] for part in meanwhile)
                result["meanwhile"][key] = {"median": values[len(values) // 2], "worst": values[-1]}
            result.update(stalled=STALLED, opened=stalled.opened, answers=attack.answers, after=others(service, rate, 10), status=service.stop())
    print(json.dumps(result))
    if attack.wrong:
        print("answered with 5xx:", *attack.wrong)
    return 0 if not attack.wrong and result["meanwhile"]["errors"] == 0 and result["status"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
