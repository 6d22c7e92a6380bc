"""The dashboard in a real browser, at the width of a desk and of a phone. Skipped plainly where Chromium is missing."""
import datetime
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lab"))
import browser  # noqa: E402
from service import NEURALTS, Service  # noqa: E402

SHOP = {"context": {"country": "DE"}, "actions": [{"id": f"item{k}", "features": {"price": k}} for k in range(4)]}
SVG = "return ['reward','shares','exploration','values','delays'].every(id => document.querySelector('#' + id + ' svg'))"


LONG = {"context": {"x" * 60: "v" * 100}, "actions": [{"id": "w" * 200 + str(k), "features": {"f" * 60: k}} for k in range(3)]}
NO_SVG = "return !document.querySelector('.chart svg')"


class Visit:
    """The page of a loop, seen by a browser of this size."""

    def __init__(self, service, width, height, loop=""):
        self.page = browser.Browser(width, height)
        self.page.page = f"{service.address}/#{loop}"
        self.page._post(self.page.session + "/url", {"url": self.page.page})

    def __enter__(self):
        self.page.wait_for("return document.body.dataset.ready === 'yes'")
        return self.page

    def __exit__(self, *_):
        self.page.close()


@unittest.skipUnless(browser.CHROMIUM and browser.CHROMEDRIVER, "Chromium is not there")
class Page(unittest.TestCase):
    def test_a_person_sees_what_happens(self):
        with Service("--quiet") as service:
            for i in range(120):
                decision = service.ask("POST", "/v1/loops/default/rank", SHOP)[1]
                service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": float(decision["action"] == "item2")})
            service.wait_for(lambda: service.stats()["model"]["version"] > 1 and len(service.stats().get("time", [])) >= 1)
            service.wait_for(lambda: (service.ask("POST", "/v1/loops/default/rank", SHOP), len(service.stats().get("time", [])) >= 3)[1], 60)
            for width, height in ((1280, 900), (390, 844)):
                page = browser.Browser(width, height)
                try:
                    page.page = service.address + "/"
                    page._post(page.session + "/url", {"url": page.page})
                    page.wait_for("return document.body.dataset.ready === 'yes'")
                    page.wait_for(SVG)
                    self.assertLessEqual(page.ask("return document.documentElement.scrollWidth"), width, "nothing sticks out at the side")
                    text = page.ask("return document.body.innerText")
                    for word in ("decisions", "item2", "learner lag", "Recent decisions", "v1"):
                        self.assertIn(word.lower(), text.lower())
                    self.assertIn("this loop earns", text.lower())
                    page.wait_for("return document.querySelectorAll('.decision').length === 8")
                    page.wait_for("return [...document.querySelectorAll('.effect')].some((chip) => /^(id|price|country)=/.test(chip.innerText))")
                    for address in page.requests():
                        self.assertTrue(address.startswith(service.address), address)
                    faults = [entry for entry in page.log("browser") if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]
                    self.assertEqual(faults, [])
                    if folder := os.environ.get("NEURALTS_SCREENSHOTS"):
                        page.screenshot(os.path.join(folder, f"service-{width}.png"))
                finally:
                    page.close()

    def test_the_first_minute(self):
        with Service("--quiet") as service, Visit(service, 1280, 900) as page:
            text = page.ask("return document.body.innerText")
            self.assertIn("/v1/loops/default/rank", text, "what to type")
            self.assertIn("comes with the first reward", text.lower())
            decision = service.ask("POST", "/v1/loops/default/rank", SHOP)[1]
            service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": 1})
            page.wait_for(SVG)  # one event is seen at once
            page.wait_for("return document.getElementById('first').hidden")
            self.assertIn("of 1 event", page.ask("return document.body.innerText"), "no interval of one event")

    def test_loops_come_and_go_and_leave_nothing_behind(self):
        with Service("--quiet") as service:
            decision = service.ask("POST", "/v1/loops/default/rank", SHOP)[1]
            service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": 1})
            with Visit(service, 1280, 900) as page:
                page.wait_for(SVG)
                service.ask("PUT", "/v1/loops/other", {})
                page.wait_for("return [...document.getElementById('loops').options].some((option) => option.value === 'other')")
                page.ask("const list = document.getElementById('loops'); list.value = 'other'; list.dispatchEvent(new Event('change'))")
                page.wait_for(NO_SVG)  # another loop's charts would be taken for this one's
                service.ask("DELETE", "/v1/loops/other")
                page.wait_for(SVG)

    def test_long_names_stay_within(self):
        with Service("--quiet") as service:
            for i in range(60):
                decision = service.ask("POST", "/v1/loops/default/rank", LONG)[1]
                service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": i % 2})
            service.wait_for(lambda: service.stats().get("best_constant") and len(service.stats()["recent"]) >= 8)
            for width, height in ((1280, 900), (390, 844)):
                with Visit(service, width, height) as page:
                    page.wait_for("return document.querySelectorAll('.decision').length === 8")
                    self.assertLessEqual(page.ask("return document.documentElement.scrollWidth"), width, "nothing sticks out at the side")
                    self.assertLessEqual(page.ask("return Math.max(...[...document.querySelectorAll('.decision')].map((box) => box.scrollWidth - box.clientWidth))"), 0)

    def test_the_name_of_a_loop_stays_within_a_phone(self):
        with Service("--quiet") as service:
            service.ask("PUT", "/v1/loops/" + "x" * 64, {})
            with Visit(service, 390, 844) as page:
                self.assertLessEqual(page.ask("return document.documentElement.scrollWidth"), 390, "nothing sticks out at the side")

    def test_any_text_may_be_an_action(self):
        ids = ["__proto__", "constructor", "others", "<script>", "-1"]
        with Service("--quiet") as service:
            for i in range(30):
                decision = service.ask("POST", "/v1/loops/default/rank", {"actions": [{"id": name} for name in ids]})[1]
                service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": i % 2})
            shown = service.wait_for(lambda: (seen := service.stats().get("actions", [])) and sum(a["chosen"] for a in seen) == 30 and seen)
            with Visit(service, 1280, 900) as page:
                page.wait_for(SVG)
                for chart in ("shares", "values"):
                    labels = page.ask(f"return document.getElementById('{chart}').textContent")
                    for action in shown:
                        self.assertIn(action["id"], labels)
                self.assertEqual(page.ask("return document.querySelectorAll('#values .mark-symbol path').length"), len(ids))

    def test_of_many_actions_the_likeliest_and_the_chosen_one_are_shown(self):
        many = {"actions": [{"id": str(k), "features": {"price": k}} for k in range(60)]}
        with Service("--quiet") as service:
            for _ in range(20):
                decision = service.ask("POST", "/v1/loops/default/rank", many)[1]
                service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": float(int(decision["action"]) > 40)})
            for event in service.wait_for(lambda: len(seen := service.stats()["recent"]) == 20 and seen):
                self.assertEqual(len(event["actions"]), 10)
                self.assertIn(event["action"], [action["id"] for action in event["actions"]])
            with Visit(service, 1280, 900) as page:
                page.wait_for("return document.querySelectorAll('.decision').length === 8")
                self.assertEqual(page.ask("return [...document.querySelectorAll('.decision')].filter((box) => box.querySelector('.chosen')).length"), 8)

    def test_an_apprentice_explores_nothing(self):
        with Service("--quiet") as service:
            service.ask("PUT", "/v1/loops/default", {"mode": "apprentice"})
            for _ in range(40):
                decision = service.ask("POST", "/v1/loops/default/rank", SHOP)[1]
                service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": 0 if decision["action"] == "item0" else 1})
            service.wait_for(lambda: service.stats()["decisions"] == 40)
            self.assertEqual(service.stats()["explored"], 0)
            with Visit(service, 1280, 900) as page:
                page.wait_for("return document.querySelectorAll('.decision').length === 8")
                text = page.ask("return document.getElementById('recent').innerText")
                self.assertIn("the model would have chosen", text)
                self.assertNotIn("Explored", text)

    def test_a_gap_is_a_gap(self):
        rows = [{"start": 1e9 + second, "decisions": 50, "explored": 10, "actions": {"a": 50}} for second in (0, 10, 600, 610)]
        told = f"charts({json.dumps({'time': rows})}); "
        with Service("--quiet") as service, Visit(service, 1280, 900) as page:
            for chart in ("exploration", "shares"):
                page.wait_for(told + f"const area = document.querySelector('#{chart} .mark-area path'); return area && area.getAttribute('d').split('M').length === 3")
            page.wait_for(told + "const line = document.querySelector('#rate .mark-area path'); return line && new Set(line.getAttribute('d').match(/,[0-9.]+/g)).size === 2")

    def test_one_clock_for_the_whole_page(self):
        with Service("--quiet") as service:
            for _ in range(20):
                decision = service.ask("POST", "/v1/loops/default/rank", SHOP)[1]
                service.ask("POST", f"/v1/events/{decision['event_id']}/reward", {"value": 1})
            published = service.wait_for(lambda: service.stats()["versions"])[-1]["time"]
            with Visit(service, 1280, 900) as page:
                page._post(page.session + "/goog/cdp/execute", {"cmd": "Emulation.setTimezoneOverride", "params": {"timezoneId": "Asia/Kolkata"}})
                here = datetime.datetime.fromisoformat(published.rstrip("Z")) + datetime.timedelta(hours=5, minutes=30)
                page.wait_for(f"return document.getElementById('models').innerText.includes('{here:%Y-%m-%d %H:%M:%S}')")

    def test_the_address_says_which_loop(self):
        with Service("--quiet") as service:
            service.ask("PUT", "/v1/loops/other", {"mode": "logging"})
            with Visit(service, 1280, 900, "default") as page:
                page.ask("location.hash = 'other'")
                page.wait_for("return document.getElementById('mode').innerText.includes('logging')")
                page.ask("history.back()")
                page.wait_for("return document.getElementById('mode').innerText.includes('online')")

    def test_a_wrong_token_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = os.path.join(folder, "tokens")
            given = {role: subprocess.run([NEURALTS, "serve", "--tokens", tokens, "--new-token", role], capture_output=True, text=True, check=True).stdout.strip()
                     for role in ("decide", "metrics")}
            with Service("--quiet", "--tokens", tokens) as service:
                page = browser.Browser(1280, 900)
                try:
                    page.page = service.address + "/"
                    page._post(page.session + "/url", {"url": page.page})
                    page.wait_for("return !document.getElementById('access').hidden")
                    self.assertEqual(page.ask("return document.getElementById('refused').innerText"), "", "nothing was tried")
                    self.assertEqual(page.ask("return getComputedStyle(document.querySelector('main')).display"), "none", "no empty frames")
                    for token, told in (("nts_wrong", "does not know"), (given["decide"], "neither role")):
                        page.ask(f"document.getElementById('token').value = '{token}'; document.querySelector('#access button').click()")
                        page.wait_for(f"return document.getElementById('refused').innerText.includes('{told}')")
                    page.ask(f"document.getElementById('token').value = '{given['metrics']}'; document.querySelector('#access button').click()")
                    page.wait_for("return document.body.dataset.ready === 'yes' && document.getElementById('access').hidden")
                finally:
                    page.close()


if __name__ == "__main__":
    unittest.main()
