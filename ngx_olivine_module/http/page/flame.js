
// the flame graph: folded stacks as a tree, drawn from the root down

var FRAME = 20, FRAMES = 4000;

// { name, value, own, children } from lines "root;...;leaf value"

function unfold(folded) {
    var root = { name: "all", value: 0, own: 0, children: [], index: new Map() };

    folded.split("\n").forEach(function (line) {
        var cut = line.lastIndexOf(" "), value = Number(line.slice(cut + 1)),
            node = root;

        if (cut <= 0 || !(value > 0)) { return; }

        root.value += value;

        line.slice(0, cut).split(";").forEach(function (name) {
            var child = node.index.get(name);

            if (!child) {
                child = { name: name, value: 0, own: 0, children: [],
                          index: new Map(), parent: node };
                node.index.set(name, child);
                node.children.push(child);
            }

            child.value += value;
            node = child;
        });

        node.own += value;
    });

    return root;
}

function Flame(box, detail) {
    this.box = box;
    this.detail = detail;
    this.root = null;
    this.top = null;
    this.wanted = "";
}

Flame.prototype.load = function (root, unit) {
    this.root = root;
    this.top = root;
    this.unit = unit;
    this.wanted = "";
    this.draw();
};

Flame.prototype.zoom = function (node) {
    this.top = node;
    this.draw();
};

Flame.prototype.search = function (wanted) {
    this.wanted = wanted.trim().toLowerCase();
    this.draw();
    this.tell(null);
};

Flame.prototype.matches = function (node) {
    return this.wanted !== ""
        && node.name.toLowerCase().indexOf(this.wanted) >= 0;
};

// value of all that is found, an inner match counting within the outer one

Flame.prototype.found = function (node) {
    var self = this;

    if (this.matches(node)) { return node.value; }

    return node.children.reduce(function (sum, child) {
        return sum + self.found(child);
    }, 0);
};

Flame.prototype.share = function (node) {
    var all = this.root.value,
        s = this.unit(node.value) + ", " + percent(node.value / all);

    if (this.top !== this.root) {
        s += " (" + percent(node.value / this.top.value) + " of "
            + this.top.name + ")";
    }

    return s + ", itself " + percent(node.own / all);
};

Flame.prototype.tell = function (node) {
    var s = "\u00a0";

    if (node) {
        s = node.name + ": " + this.share(node);

    } else if (this.wanted !== "") {
        s = "found in " + percent(this.found(this.root) / this.root.value)
            + " of all";
    }

    this.detail.textContent = s;
};

// warm for our own, blue for the kernel, by the name so that it stays

Flame.prototype.color = function (name) {
    var h = 0, i;

    for (i = 0; i < name.length; i++) {
        h = (h * 31 + name.charCodeAt(i)) >>> 0;
    }

    if (name.charAt(0) === "[") {
        return "hsl(" + (200 + h % 25) + ",55%," + (66 + h % 9) + "%)";
    }

    return "hsl(" + (26 + h % 38) + "," + (68 + h % 18) + "%," + (60 + h % 13)
        + "%)";
};

Flame.prototype.draw = function () {
    var self = this, width = this.box.clientWidth, made = 0, deepest = 0,
        part = document.createDocumentFragment(), up = [], node;

    this.box.textContent = "";
    if (!this.root || !width) { return; }

    this.box.classList.toggle("searching", this.wanted !== "");

    function frame(node, x, w, depth, above) {
        var e = part.appendChild(make("div", "frame", w > 24 ? node.name : ""));

        e.style.left = x + "px";
        e.style.width = Math.max(w, 1) + "px";
        e.style.top = depth * FRAME + "px";
        e.style.background = self.color(node.name);
        e.classList.toggle("up", above);
        e.classList.toggle("match", self.matches(node));

        if (w < 5) { e.style.padding = "0"; e.style.borderWidth = "0"; }

        e.tabIndex = 0;
        e.setAttribute("role", "button");
        e.setAttribute("aria-label", node.name + ", " + self.share(node));
        e.title = node.name + "\n" + self.share(node);
        e.node = node;

        deepest = Math.max(deepest, depth);
        made++;
    }

    // the widest first would be fairer; what is narrower than a pixel is left

    function below(node, x, w, depth) {
        frame(node, x, w, depth, false);

        node.children.sort(function (a, b) {
            return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
        });

        node.children.forEach(function (child) {
            var cw = w * child.value / node.value;

            if (cw >= 0.7 && made < FRAMES) { below(child, x, cw, depth + 1); }

            x += cw;
        });
    }

    for (node = this.top.parent; node; node = node.parent) { up.unshift(node); }

    up.forEach(function (node, depth) { frame(node, 0, width, depth, true); });
    below(this.top, 0, width, up.length);

    this.box.style.height = (deepest + 1) * FRAME + "px";
    this.box.appendChild(part);
};

Flame.prototype.listen = function () {
    var self = this;

    function on(name, act) {
        self.box.addEventListener(name, function (ev) {
            if (ev.target.node) { act(ev.target.node, ev); }
        });
    }

    on("click", function (node) { self.zoom(node); self.tell(node); });
    on("pointerover", function (node) { self.tell(node); });
    on("focusin", function (node) { self.tell(node); });
    this.box.addEventListener("pointerleave", function () { self.tell(null); });

    this.box.addEventListener("keydown", function (ev) {
        var node = ev.target.node, again;

        if (node && (ev.key === "Enter" || ev.key === " ")) {
            ev.preventDefault();
            self.zoom(node);

        } else if (ev.key === "Escape") {
            self.zoom(self.root);

        } else {
            return;
        }

        again = Array.prototype.find.call(self.box.children, function (e) {
            return e.node === self.top;
        });
        again.focus();
    });

    window.addEventListener("resize", function () { self.draw(); });
};

// the button and what is around it

function Profile() {
    var self = this;

    this.flame = new Flame(byId("p-graph"), byId("p-detail"));
    this.flame.listen();
    this.stop = null;
    this.timer = null;

    byId("p-take").addEventListener("click", function () { self.take(); });
    byId("p-stop").addEventListener("click", function () { self.stop.abort(); });
    byId("p-reset").addEventListener("click", function () {
        self.flame.zoom(self.flame.root);
    });
    byId("p-search").addEventListener("input", function (ev) {
        self.flame.search(ev.target.value);
    });
}

Profile.prototype.say = function (s) { text("p-said", s); };

Profile.prototype.busy = function (on) {
    byId("p-take").disabled = on;
    byId("p-seconds").disabled = on;
    byId("p-stop").hidden = !on;
};

Profile.prototype.show = function (on) {
    ["p-graph", "p-detail", "p-search", "p-reset"].forEach(function (id) {
        byId(id).hidden = !on;
    });
};

var WHY = {
    403: "The server shows profiles to others only: ",
    404: "There are no profiles here: a location /debug/pprof/ with "
        + "olivine_pprof is missing. ",
    409: "Another profile is being taken; try again when it is done: ",
    503: "The server is busy: "
};

Profile.prototype.take = function () {
    var self = this, seconds = Number(byId("p-seconds").value), left = seconds;

    this.busy(true);
    this.stop = new AbortController();

    function tick() {
        self.say(left > 0 ? "Sampling for " + left + " s more"
                          : "Waiting for names of functions");
        left--;
    }

    tick();
    this.timer = setInterval(tick, 1000);

    fetch("/debug/pprof/profile?seconds=" + seconds + "&folded=1",
          { signal: this.stop.signal, cache: "no-store" })
        .then(function (answer) {
            return answer.text().then(function (body) {
                if (answer.ok) { self.done(body, seconds); return; }

                self.say((WHY[answer.status] || "That failed: ")
                         + (answer.status === 404 ? ""
                                                  : body.slice(0, 300).trim()));
            });
        })
        .catch(function (e) {
            self.say(e.name === "AbortError" ? "Stopped."
                                             : "The server does not answer.");
        })
        .then(function () {
            clearInterval(self.timer);
            self.busy(false);
        });
};

Profile.prototype.done = function (body, seconds) {
    var root = unfold(body), unit;

    if (root.value === 0) {
        this.show(false);
        this.say("No samples: in " + seconds + " s no worker used CPU time "
                 + "enough to be met. Give the server something to do.");
        return;
    }

    // nanoseconds of CPU, or a number of samples

    unit = root.value >= 1e6 ? time : function (n) { return many(n) + " samples"; };

    byId("p-search").value = "";
    this.show(true);
    this.flame.load(root, unit);
    this.flame.tell(null);
    this.say(unit(root.value) + " in " + seconds + " s. Click on a function to "
             + "zoom in, hover for details.");
};
