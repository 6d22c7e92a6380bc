"""The dashboard in a real browser, at the width of a desk and of a phone. Skipped plainly where Chromium is missing."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lab"))
import browser  # noqa: E402
from service import Service  # noqa: E402

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


if __name__ == "__main__":
    unittest.main()
