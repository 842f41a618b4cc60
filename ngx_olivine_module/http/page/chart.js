
// lines over the last minutes, on a canvas; a null is a gap

var POINTS = 180;

function Chart(id, series, format, options) {
    var self = this, box = byId(id);

    this.series = series;
    this.format = format;
    this.options = options || {};
    this.at = null;

    this.canvas = box.appendChild(make("canvas"));
    this.canvas.setAttribute("role", "img");
    this.keys = box.appendChild(make("div", "keys"));

    series.forEach(function (s) {
        var key = self.keys.appendChild(make("span"));
        s.values = [];
        s.dot = key.appendChild(make("span", "dot"));
        key.appendChild(document.createTextNode(s.name + " "));
        s.shown = key.appendChild(make("b", "", "–"));
    });

    this.when = this.keys.appendChild(make("span"));

    this.canvas.addEventListener("pointermove", function (ev) {
        self.at = ev.offsetX;
        self.draw();
    });

    this.canvas.addEventListener("pointerleave", function () {
        self.at = null;
        self.draw();
    });
}

Chart.prototype.add = function (values) {
    this.series.forEach(function (s, i) {
        s.values.push(values[i]);
        if (s.values.length > POINTS) { s.values.shift(); }
    });

    this.draw();
};

// a round number not below n; of bytes a power of two

function round(n, step) {
    var unit;

    if (step === 1024) { return Math.pow(2, Math.ceil(Math.log2(n))); }

    unit = Math.pow(10, Math.floor(Math.log10(n)));

    return [1, 2, 2.5, 5, 10].find(function (x) { return x * unit >= n * 0.999; })
        * unit;
}

Chart.prototype.range = function () {
    var log = this.options.log, low = Infinity, high = 0, ticks = [], step, v;

    this.series.forEach(function (s) {
        s.values.forEach(function (n) {
            if (n !== null) {
                high = Math.max(high, n);
                if (n > 0) { low = Math.min(low, n); }
            }
        });
    });

    if (log) {
        low = high > 0 ? Math.pow(10, Math.floor(Math.log10(low))) : 100;
        high = Math.max(high > 0 ? Math.pow(10, Math.ceil(Math.log10(high)))
                                 : 10000, low * 100);

        for (v = low; v <= high * 1.001; v *= 10) { ticks.push(v); }

    } else {
        step = round(Math.max(high * 1.05, this.options.least || 1) / 4,
                     this.options.step);
        low = 0;
        high = step * 4;
        for (v = 0; v < 5; v++) { ticks.push(v * step); }
    }

    return { low: low, high: high, ticks: ticks, y: function (n) {
        return log ? Math.log(Math.max(n, low) / low) / Math.log(high / low)
                   : n / high;
    } };
};

Chart.prototype.draw = function () {
    var canvas = this.canvas, ratio = window.devicePixelRatio || 1,
        w = canvas.clientWidth, h = canvas.clientHeight, g, r, self = this,
        left = 62, top = 6, bottom = 20, width, height, n, x, y, chosen;

    if (!w) { return; }

    if (canvas.width !== Math.round(w * ratio)
        || canvas.height !== Math.round(h * ratio))
    {
        canvas.width = Math.round(w * ratio);
        canvas.height = Math.round(h * ratio);
    }

    g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = "11px system-ui, sans-serif";
    g.lineWidth = 1;

    r = this.range();
    width = w - left - 6;
    height = h - top - bottom;
    n = this.series[0].values.length;

    x = function (i) { return left + width * (i + POINTS - n) / (POINTS - 1); };
    y = function (v) { return top + height * (1 - r.y(v)); };

    g.textBaseline = "middle";
    g.textAlign = "right";

    r.ticks.forEach(function (v) {
        g.strokeStyle = css("--line");
        g.beginPath();
        g.moveTo(left, Math.round(y(v)) + 0.5);
        g.lineTo(w - 6, Math.round(y(v)) + 0.5);
        g.stroke();
        g.fillStyle = css("--soft");
        g.fillText(self.format(v).replace(/\.0+(?=\D|$)/, ""), left - 8, y(v));
    });

    g.textBaseline = "alphabetic";
    g.textAlign = "center";

    [["3 min ago", 0, "left"], ["2 min", 60, "center"],
     ["1 min", 120, "center"], ["now", 179, "right"]].forEach(function (t) {
        g.textAlign = t[2];
        g.fillText(t[0], left + width * t[1] / (POINTS - 1), h - 4);
    });

    this.series.forEach(function (s) { self.line(g, s, x, y, top + height); });

    chosen = n - 1;

    if (this.at !== null && n) {
        chosen = Math.round((this.at - left) / width * (POINTS - 1))
                 - (POINTS - n);
        chosen = Math.max(0, Math.min(n - 1, chosen));
        g.strokeStyle = css("--soft");
        g.beginPath();
        g.moveTo(x(chosen), top);
        g.lineTo(x(chosen), top + height);
        g.stroke();
    }

    this.say(chosen, n);
};

Chart.prototype.line = function (g, s, x, y, floor) {
    var color = css(s.color), begun = null, i, v;

    s.dot.style.background = color;
    g.strokeStyle = color;
    g.lineWidth = 1.8;
    g.lineJoin = "round";

    for (i = 0; i <= s.values.length; i++) {
        v = i < s.values.length ? s.values[i] : null;

        if (v !== null && begun === null) {
            begun = i;
            g.beginPath();
            g.moveTo(x(i), y(v));

        } else if (v !== null) {
            g.lineTo(x(i), y(v));

        } else if (begun !== null) {
            g.stroke();

            if (s.filled) {
                g.lineTo(x(i - 1), floor);
                g.lineTo(x(begun), floor);
                g.closePath();
                g.globalAlpha = 0.16;
                g.fillStyle = color;
                g.fill();
                g.globalAlpha = 1;
            }

            begun = null;
        }
    }
};

Chart.prototype.say = function (i, n) {
    var self = this, label = [];

    this.series.forEach(function (s) {
        var v = i >= 0 && s.values[i] !== undefined ? s.values[i] : null;
        s.shown.textContent = v === null ? "–" : self.format(v);
        label.push(s.name + " " + s.shown.textContent);
    });

    this.when.textContent = this.at !== null && n
        ? "(" + (n - 1 - i) + " s ago)" : "";
    this.canvas.setAttribute("aria-label", label.join(", "));
};
