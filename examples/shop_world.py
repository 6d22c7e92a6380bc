"""A world to try things in: a shop with visitors, and items that come and go.

Visitors have a country, a device, an hour and sometimes an age; fifty items a category, a brand and a price, ten of which are replaced
every week. Tastes depend on who asks and when, a price is right for a device, every item has a charm of its own, and tastes drift
over the weeks.
"""

import numpy as np

COUNTRIES, DEVICES, CATEGORIES, BRANDS = 6, 3, 5, 8
WEEK = 7 * 24 * 3600.0


class Shop:
    """Draws visits; knows how likely a sale is."""

    def __init__(self, seed, rounds, offered=8, weeks=4):
        self.numbers = np.random.default_rng(seed)
        self.seconds, self.offered = weeks * WEEK / rounds, offered
        self.taste = self.numbers.normal(0, 1.0, (COUNTRIES, CATEGORIES))
        self.drift = self.numbers.normal(0, 0.35, (COUNTRIES, CATEGORIES))
        self.hour_of = self.numbers.integers(0, 24, CATEGORIES)  # when a category is wanted
        self.right_price = self.numbers.permutation([6.0, 12.0, 20.0])  # for a device
        self.made = 0
        self.items = [self.new_item() for _ in range(50)]
        self.week = 0

    def new_item(self):
        self.made += 1
        return {
            "id": f"item{self.made}",
            "category": f"c{self.numbers.integers(CATEGORIES)}",
            "brand": f"b{self.numbers.integers(BRANDS)}",
            "price": float(np.round(self.numbers.uniform(2, 25), 2)),
            "charm": float(self.numbers.normal(0, 0.4)),  # hidden
        }

    def visit(self, t):
        """Context, what is offered, and the chance of a sale of each."""
        time = t * self.seconds
        if int(time / WEEK) > self.week:
            self.week = int(time / WEEK)
            for gone in self.numbers.choice(50, 10, replace=False):
                self.items[gone] = self.new_item()
        context = {
            "country": f"k{self.numbers.integers(COUNTRIES)}",
            "device": f"d{self.numbers.integers(DEVICES)}",
            "hour": int(time / 3600) % 24,
        }
        if self.numbers.random() < 0.6:
            context["age"] = int(self.numbers.integers(16, 80))
        items = [self.items[i] for i in self.numbers.choice(50, self.offered, replace=False)]
        return time, context, [{k: v for k, v in item.items() if k != "charm"} for item in items], np.array([self.chance(context, item, time) for item in items])

    def chance(self, context, item, time):
        country, category, device = int(context["country"][1:]), int(item["category"][1:]), int(context["device"][1:])
        taste = self.taste[country, category] + self.drift[country, category] * time / WEEK
        hour = 0.8 * np.cos(2 * np.pi * (context["hour"] - self.hour_of[category]) / 24)
        price = -(((item["price"] - self.right_price[device]) / 6.0) ** 2)
        return float(1 / (1 + np.exp(-(-0.5 + taste + hour + max(price, -2.5) + item["charm"]))))
