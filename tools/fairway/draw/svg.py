# SPDX-License-Identifier: GPL-2.0
"""Charts as SVG text: axes, lines, points, labels that keep apart.

Colours are CSS classes of the page around them, so that light and dark are its
business.
"""

import math
from dataclasses import dataclass, field
from html import escape

LABEL_PX = 13       # what a label needs above the next one
LEFT, TOP, BOTTOM = 62, 14, 44


def short_number(value):
    """An axis' number without an exponent."""
    return f"{value:g}" if 1e-4 <= abs(value) < 1e6 or not value else (
        f"{value:.0e}")


@dataclass
class Axis:
    """Values least to most along from..to pixels; the unit is in its name.
    With names, the n-th of them stands at the value n."""
    name: str
    least: float
    most: float
    is_log: bool = False
    names: tuple = ()

    def __post_init__(self):
        if self.is_log:
            self.least = 10 ** math.floor(math.log10(self.least) + 1e-9)
            self.most = 10 ** math.ceil(math.log10(self.most) - 1e-9)
            if self.most <= self.least:
                self.most = self.least * 10
        elif self.most <= self.least:
            self.most = self.least + 1

    def part(self, value):
        """Where a value is, 0 to 1; beyond the ends, at them."""
        value = min(max(value, self.least), self.most)
        if self.is_log:
            return (math.log10(value / self.least)
                    / math.log10(self.most / self.least))
        return (value - self.least) / (self.most - self.least)

    def ticks(self):
        """[(value, text)]"""
        if self.names:
            return list(enumerate(self.names))
        if self.is_log:
            first = round(math.log10(self.least))
            last = round(math.log10(self.most))
            return [(10.0 ** at, short_number(10.0 ** at))
                    for at in range(first, last + 1)]
        rough = (self.most - self.least) / 5
        power = 10 ** math.floor(math.log10(rough))
        step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
        count = int((self.most - self.least) / step + 1e-9)
        return [(self.least + step * at, short_number(round(
            self.least + step * at, 9))) for at in range(count + 1)]


@dataclass
class Chart:
    """One picture; values are in the units of its axes."""
    title: str
    across: Axis
    up: Axis
    width: int = 560
    height: int = 300
    right: int = 88    # px beside the axes, for labels
    parts: list = field(default_factory=list)
    labels: list = field(default_factory=list)

    def across_px(self, value):
        inner = self.width - LEFT - self.right
        return LEFT + self.across.part(value) * inner

    def up_px(self, value):
        return self.height - BOTTOM - self.up.part(value) * (
            self.height - BOTTOM - TOP)

    def line(self, points, style, extra=""):
        """Through [(across, up)]; style is a CSS class."""
        path = " ".join(f"{self.across_px(x):.1f},{self.up_px(y):.1f}"
                        for x, y in points)
        self.parts.append(f'<polyline class="line {style}" points="{path}" '
                          f'{extra}/>')

    def area(self, lower, upper, style):
        """Between two lines over the same places."""
        path = " ".join(f"{self.across_px(x):.1f},{self.up_px(y):.1f}"
                        for x, y in [*upper, *reversed(lower)])
        self.parts.append(f'<polygon class="area {style}" points="{path}"/>')

    def point(self, across, up, style, tip, radius=5):
        self.parts.append(
            f'<circle class="dot {style}" cx="{self.across_px(across):.1f}" '
            f'cy="{self.up_px(up):.1f}" r="{radius}">'
            f'<title>{escape(tip)}</title></circle>')

    def bar(self, across, up, style):
        """A range: two (least, most) pairs."""
        x, y = map(sorted, (map(self.across_px, across), map(self.up_px, up)))
        middle_x, middle_y = sum(x) / 2, sum(y) / 2
        self.parts.append(
            f'<path class="range {style}" d="M{x[0]:.1f} {middle_y:.1f}'
            f'H{x[1]:.1f}M{middle_x:.1f} {y[0]:.1f}V{y[1]:.1f}"/>')

    def box(self, start, end, up, style, tip):
        """A bar of a row: across from start to end, around the middle up."""
        left, right = self.across_px(start), self.across_px(end)
        high = self.up_px(up + 0.35)
        self.parts.append(
            f'<rect class="box {style}" x="{left:.1f}" y="{high:.1f}" '
            f'width="{max(right - left, 0.5):.1f}" '
            f'height="{self.up_px(up - 0.35) - high:.1f}">'
            f'<title>{escape(tip)}</title></rect>')

    def label(self, across, up, text, style=""):
        """Beside a point; moved up or down where another one is."""
        self.labels.append([self.across_px(across) + 8,
                            self.up_px(up) + 4, text, style])

    def place_labels(self):
        """Top to bottom, each below those that it would lie on."""
        placed = []
        for label in sorted(self.labels, key=lambda one: one[1]):
            x, y, text, style = label
            x = min(x, self.width - 6.6 * len(text))
            for other_x, other_y, length in placed:
                if (abs(y - other_y) < LABEL_PX and x < other_x + 6.6 * length
                        and other_x < x + 6.6 * len(text)):
                    y = other_y + LABEL_PX
            placed.append((x, y, len(text)))
            yield (f'<text class="name {style}" x="{x:.1f}" y="{y:.1f}">'
                   f'{escape(text)}</text>')

    def frame(self):
        """Grid, numbers and names of the axes."""
        right, bottom = self.width - self.right, self.height - BOTTOM
        for value, text in self.across.ticks():
            x = self.across_px(value)
            yield (f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" '
                   f'y2="{bottom}"/><text class="tick" text-anchor="middle" '
                   f'x="{x:.1f}" y="{bottom + 15}">{text}</text>')
        for value, text in self.up.ticks():
            y = self.up_px(value)
            yield (f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" '
                   f'y2="{y:.1f}"/><text class="tick" text-anchor="end" '
                   f'x="{LEFT - 6}" y="{y + 4:.1f}">{text}</text>')
        yield (f'<text class="axis" text-anchor="middle" '
               f'x="{(LEFT + right) / 2:.0f}" y="{self.height - 8}">'
               f'{escape(self.across.name)}</text>')
        middle = (TOP + bottom) / 2
        yield (f'<text class="axis" text-anchor="middle" x="14" '
               f'y="{middle:.0f}" transform="rotate(-90 14 {middle:.0f})">'
               f'{escape(self.up.name)}</text>')

    def picture(self, place=""):
        """The svg element alone; place is what attributes it has besides."""
        return (f'<svg viewBox="0 0 {self.width} {self.height}" {place}'
                f'role="img" aria-label="{escape(self.title)}">'
                + "".join(self.frame()) + "".join(self.parts)
                + "".join(self.place_labels()) + '</svg>')

    def text(self):
        return (f'<figure>{self.picture()}'
                f'<figcaption>{escape(self.title)}</figcaption></figure>')


HEADING_PX = 34
CAPTION_PX = 26


def document(heading, charts, style):
    """A file of its own: charts below each other, each with its title above."""
    parts, y = [], HEADING_PX
    for chart in charts:
        y += CAPTION_PX
        parts.append(f'<text class="title" x="{LEFT}" y="{y - 6}">'
                     f'{escape(chart.title)}</text>')
        parts.append(chart.picture(f'y="{y}" width="{chart.width}" '
                                   f'height="{chart.height}" '))
        y += chart.height
    width = max(chart.width for chart in charts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{y}" viewBox="0 0 {width} {y}">\n<style>{style}</style>\n'
            f'<rect class="ground" width="{width}" height="{y}"/>\n'
            f'<text class="heading" x="{LEFT}" y="24">{escape(heading)}</text>\n'
            + "\n".join(parts) + "\n</svg>\n")
