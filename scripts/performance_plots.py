"""The plots of docs/performance.md as SVG: log scales, no library.

    dots(title, unit, rows)        a line of named marks for each row
    curves(title, unit, panels)    small panels side by side, curves in each

Text is dark on nothing, so that a page may be of any light colour; marks differ
by shape of line or by their names, not by colour alone.
"""
import math
from html import escape

INK, GRID = "#333", "#ccc"
COLOURS = ["#0b5fa5", "#c0392b", "#2e8b57", "#8e44ad"]
SUPER = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def text(x, y, words, anchor="start", size=12, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}" font-weight="{weight}" fill="{INK}">'
            f'{escape(words)}</text>')


def line(x1, y1, x2, y2, colour=GRID, width=1.0, dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dashes}/>')


def svg(width, height, title, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="sans-serif" role="img">'
            f"<title>{escape(title)}</title>" + "\n".join(parts) + "</svg>\n")


def decades(values):
    """The powers of ten around all values that are above 0."""
    logs = [math.log10(v) for v in values if v > 0] or [0]
    low, high = math.floor(min(logs)), math.ceil(max(logs))
    return low, max(high, low + 1)


def power(n):
    return {0: "1", 1: "10", -1: "0.1"}.get(n, "10" + str(n).translate(SUPER))


def dots(title, unit, rows):
    """rows: (label, {mark: value}); the marks are the same in all."""
    left, right, top, pitch = 190, 20, 50, 30
    width, height = 860, top + pitch * len(rows) + 40
    low, high = decades([v for _, marks in rows for v in marks.values()])
    bottom = top + pitch * len(rows) - pitch / 2

    def at(value):
        share = (math.log10(max(value, 10 ** low)) - low) / (high - low)
        return left + share * (width - left - right)

    parts = [text(10, 20, f"{title}, {unit}, log scale", size=14,
                  weight="bold")]
    for n in range(low, high + 1):
        x = at(10 ** n)
        parts += [line(x, top - 18, x, bottom),
                  text(x, bottom + 18, power(n), "middle", 11)]
    for i, (label, marks) in enumerate(rows):
        y = top + i * pitch
        places = [at(v) for v in marks.values()]
        parts += [text(10, y + 4, label),
                  line(min(places), y, max(places), y, INK)]
        for (name, value), colour in zip(marks.items(), COLOURS):
            parts += [f'<circle cx="{at(value):.1f}" cy="{y:.1f}" r="5" '
                      f'fill="{colour}"/>',
                      text(at(value), y - 8, name, "middle", 9)]
    return svg(width, height, title, parts)


def curves(title, unit, panels):
    """panels: (heading, x label, {curve: [(x, y) ...]})."""
    wide, tall, gap, top = 210, 190, 56, 60
    width = gap + (wide + gap) * len(panels)
    height = top + tall + 60
    low, high = decades([y for _, _, lines in panels
                         for points in lines.values() for _, y in points])
    names = list(dict.fromkeys(n for p in panels for n in p[2]))
    colour = {n: COLOURS[i % len(COLOURS)] for i, n in enumerate(names)}
    dash = {n: ["", "6 3", "2 3", "8 3 2 3"][i % 4]
            for i, n in enumerate(names)}
    parts = [text(10, 20, f"{title}, {unit}, log scales", size=14,
                  weight="bold")]
    for i, name in enumerate(names):
        x = 10 + i * 190
        parts += [line(x, 36, x + 30, 36, colour[name], 2, dash[name]),
                  text(x + 36, 40, name)]
    for i, (heading, label, lines) in enumerate(panels):
        left = gap + i * (wide + gap)
        first, last = decades([x for points in lines.values()
                               for x, _ in points])

        def place(x, y):
            across = (math.log10(x) - first) / (last - first)
            up = (math.log10(max(y, 10 ** low)) - low) / (high - low)
            return left + across * wide, top + tall - up * tall

        for n in range(low, high + 1):
            y = place(10 ** first, 10 ** n)[1]
            parts += [line(left, y, left + wide, y),
                      text(left - 6, y + 4, power(n), "end", 10)]
        for n in range(first, last + 1):
            x = place(10 ** n, 10 ** low)[0]
            parts += [line(x, top, x, top + tall),
                      text(x, top + tall + 16, power(n), "middle", 10)]
        parts += [text(left, top - 6, heading, size=12, weight="bold"),
                  text(left + wide / 2, top + tall + 34, label, "middle", 11)]
        for name, points in lines.items():
            path = " ".join("{:.1f},{:.1f}".format(*place(x, y))
                            for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" '
                         f'stroke="{colour[name]}" stroke-width="2" '
                         f'stroke-dasharray="{dash[name]}"/>')
    return svg(width, height, title, parts)
