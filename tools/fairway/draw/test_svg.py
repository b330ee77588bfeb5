# SPDX-License-Identifier: GPL-2.0
"""Tests of the charts."""

import re
import unittest
import xml.etree.ElementTree as ElementTree

from draw import svg


class Drawing(unittest.TestCase):
    def test_axes(self):
        axis = svg.Axis("ms", 3, 4000, True)
        self.assertEqual((axis.least, axis.most), (1, 10_000))
        self.assertEqual(axis.part(100), 0.5)
        self.assertEqual(axis.part(0.1), 0)
        self.assertEqual([text for _, text in svg.Axis("s", 0, 10).ticks()],
                         ["0", "2", "4", "6", "8", "10"])
        self.assertEqual(svg.Axis("s", 5, 5).part(5), 0)

    def test_labels_keep_apart(self):
        chart = svg.Chart("t", svg.Axis("x", 0, 1), svg.Axis("y", 0, 1))
        for name in ("none", "bfq", "kyber"):
            chart.label(0.5, 0.5, name)
        heights = [float(y) for y in re.findall(
            r' y="([\d.]+)"', "".join(chart.place_labels()))]
        self.assertGreaterEqual(min(b - a for a, b in
                                    zip(heights, heights[1:])), 13)

    def test_text_is_escaped(self):
        chart = svg.Chart("<t>", svg.Axis("a & b", 0, 1), svg.Axis("y", 0, 1))
        chart.point(0, 0, "none", "<tip>")
        ElementTree.fromstring(chart.text())

    def test_axis_of_names(self):
        axis = svg.Axis("pid", -0.5, 1.5, names=("7", "12"))
        self.assertEqual(axis.ticks(), [(0, "7"), (1, "12")])

    def test_document_stands_alone(self):
        charts = [svg.Chart("<one>", svg.Axis("x", 0, 1), svg.Axis("y", 0, 1)),
                  svg.Chart("two", svg.Axis("x", 0, 1), svg.Axis("y", 0, 1),
                            height=100)]
        charts[0].box(0.2, 0.4, 0.5, "a", "tip & more")
        text = svg.document("head & line", charts, ".a { fill: red }")
        root = ElementTree.fromstring(text)
        inner = root.findall("{http://www.w3.org/2000/svg}svg")
        self.assertEqual([int(one.get("height")) for one in inner], [300, 100])
        self.assertGreaterEqual(int(inner[1].get("y")),
                                int(inner[0].get("y")) + 300)
        self.assertGreaterEqual(int(root.get("height")),
                                int(inner[1].get("y")) + 100)
        self.assertNotIn("href", text)
        self.assertEqual(re.findall("https?://[^\"]*", text),
                         ["http://www.w3.org/2000/svg"])


if __name__ == "__main__":
    unittest.main()
