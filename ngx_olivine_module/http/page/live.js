
// the figures, each second

var EVERY = 1000, PATIENCE = 5000;

var charts = {
    ops: new Chart("c-ops", [
        { name: "commands/s", color: "--c1", filled: true },
        { name: "errors/s", color: "--c2" }
    ], count, { least: 10 }),
    lat: new Chart("c-lat", [
        { name: "p50", color: "--c1" },
        { name: "p99", color: "--c3" },
        { name: "p99.9", color: "--c2" }
    ], time, { log: true }),
    net: new Chart("c-net", [
        { name: "in/s", color: "--c3", filled: true },
        { name: "out/s", color: "--c2" }
    ], bytes, { least: 1024, step: 1024 }),
    cpu: new Chart("c-cpu", [
        { name: "user", color: "--c1", filled: true },
        { name: "kernel", color: "--c4" }
    ], percent, { least: 0.2 })
};

var USES = {
    data: ["keys and values", "--c1"], tables: ["tables", "--c5"],
    gaps: ["gaps in pages", "--c6"], log: ["log", "--c2"],
    receiving: ["arguments coming in", "--c4"], pinned: ["being sent", "--c4"],
    serving: ["workers and statistics", "--soft"], clients: ["clients", "--c3"],
    free: ["free pages", "--none"]
};

var last = null, paused = false, timer = null, fetching = null, failures = 0;

// what has been added since the last answer, by the second; null if unknown

function rate(now, get) {
    var s, was, is;

    if (!last || last.run_id !== now.run_id || last.epoch !== now.epoch) {
        return null;
    }

    s = (now.now_ms - last.now_ms) / 1000;
    was = get(last);
    is = get(now);

    return s > 0.05 && was !== undefined && is >= was ? (is - was) / s : null;
}

// percentiles of what came between two answers

function between(now) {
    var was = new Map(), list, sum = 0;

    if (rate(now, function (a) { return a.latency.count; }) === null) {
        return null;
    }

    last.latency.buckets.forEach(function (b) { was.set(b[0], b[1]); });

    list = now.latency.buckets.map(function (b) {
        var n = Math.max(0, b[1] - (was.get(b[0]) || 0));
        sum += n;
        return [b[0], n];
    });

    return sum === 0 ? null : function (p) {
        var want = sum * p, i;

        for (i = 0; i < list.length; i++) {
            want -= list[i][1];
            if (want <= 1e-9) { return list[i][0]; }
        }

        return list[list.length - 1][0];
    };
}

function total(list, get) {
    return list.reduce(function (sum, x) { return sum + get(x); }, 0);
}

function showTiles(a) {
    var ops = rate(a, function (x) { return x.counters.commands; }),
        p = between(a), m = a.memory, used = m.used / m.limit,
        hits = rate(a, function (x) { return x.counters.hits; }),
        misses = rate(a, function (x) { return x.counters.misses; }),
        expiring = total(a.keyspace, function (k) { return k.expires; }),
        err = rate(a, function (x) { return x.counters.errors; });

    text("t-ops", count(ops === null ? a.rates.commands : ops));
    text("t-ops-more", many(a.counters.commands) + " in all");

    text("t-p99", p ? time(p(0.99)) : "–");
    text("t-p99-more", "longest turn "
         + time(a.counters.longest_turn_us * 1000));

    text("t-mem", bytes(m.used));
    text("t-mem-more", percent(used) + " of " + bytes(m.limit));
    meter("t-mem-bar", used);

    text("t-keys", count(m.keys));
    text("t-keys-more", m.keys
         ? count(expiring) + " expire, "
           + bytes(Math.max(0, m.used - m.startup) / m.keys) + " a key"
         : "none");

    text("t-clients", many(a.clients.connected));
    text("t-clients-more", a.clients.blocked + " blocked, most "
         + many(a.clients.max));

    text("t-hits", hits === null || hits + misses === 0
         ? (a.counters.hits + a.counters.misses
            ? percent(a.counters.hits / (a.counters.hits + a.counters.misses))
            : "–")
         : percent(hits / (hits + misses)));
    text("t-hits-more", count(a.counters.misses) + " misses, "
         + count(a.counters.expired) + " expired");

    charts.ops.add([ops, err]);
    charts.lat.add(p ? [p(0.5), p(0.99), p(0.999)] : [null, null, null]);
    charts.net.add([rate(a, function (x) { return x.counters.bytes_in; }),
                    rate(a, function (x) { return x.counters.bytes_out; })]);
    charts.cpu.add(["cpu_user_us", "cpu_sys_us"].map(function (name) {
        var us = rate(a, function (x) { return x.counters[name]; });
        return us === null ? null : us / 1e6;
    }));
}

function showMemory(a) {
    var bar = byId("m-bar"), list = byId("m-list"), label = [], sum;

    if (!list.children.length) {
        Object.keys(USES).forEach(function (name) {
            var li = list.appendChild(make("li")), dot;

            dot = li.appendChild(make("span", "dot"));
            li.appendChild(make("span", "", USES[name][0]));
            li.appendChild(make("b"));
            dot.style.background = "var(" + USES[name][1] + ")";
            bar.appendChild(make("i")).style.background = dot.style.background;
        });
    }

    sum = total(Object.keys(USES), function (n) { return a.memory.uses[n]; });

    Object.keys(USES).forEach(function (name, i) {
        var n = a.memory.uses[name];

        bar.children[i].style.width = n / Math.max(sum, 1) * 100 + "%";
        bar.children[i].title = USES[name][0] + ": " + bytes(n);
        list.children[i].lastChild.textContent = bytes(n);
        label.push(USES[name][0] + " " + bytes(n));
    });

    bar.setAttribute("aria-label", "Memory by use: " + label.join(", "));
}

function showShards(a) {
    var what = Number(byId("s-what").value), map = byId("s-map"), high, sum,
        show = what === 0 ? count : what === 4 ? percent : bytes, values;

    values = a.shards.map(function (s) {
        return what === 4 ? (s[2] ? Math.min(1, s[1] / s[2]) : 0) : s[what];
    });

    while (map.children.length < values.length) { map.appendChild(make("i")); }

    sum = total(values, function (v) { return v; });

    // twice the average is as dark as it gets

    high = what === 4 ? 1 : Math.max(sum / values.length * 2, 1);

    values.forEach(function (v, i) {
        var e = map.children[i], part = Math.min(v / high, 1);

        e.style.background = "color-mix(in srgb, var(--c1) "
            + (v ? 8 + part * 92 : 0) + "%, var(--none))";
        e.style.color = part > 0.8 ? "var(--on)" : "var(--ink)";
        e.textContent = v ? show(v).replace(" ", "") : "";
        e.title = "shard " + i + ": " + show(v);
    });

    text("s-said", values.length + " shards, on average "
         + show(sum / values.length) + ", most " + show(Math.max.apply(null,
                                                                   values)));
    map.setAttribute("aria-label", "Shards by " + byId("s-what")
        .selectedOptions[0].textContent + ": " + byId("s-said").textContent);
}

function showCommands(a) {
    var all = total(a.commands, function (c) { return c.total_ns; });

    rows("commands", a.commands, 9, "no command has run yet", function (to, c) {
        var calls = rate(a, function (x) {
            var same = x.commands.find(function (o) { return o.name === c.name; });
            return same && same.calls;
        }), part = all ? c.total_ns / all : 0, share = to[2], p;

        to[0].className = "name";
        to[0].textContent = c.name.replace("|", " ");
        to[1].textContent = count(calls);

        if (!share.firstChild) {
            share.appendChild(make("span", "share")).appendChild(make("i"));
            share.appendChild(make("span"));
        }

        share.firstChild.firstChild.style.width = part * 100 + "%";
        share.lastChild.textContent = percent(part);

        to[3].textContent = c.calls ? time(c.total_ns / c.calls) : "–";

        p = [c.p50_ns, c.p99_ns, c.p999_ns];
        p.forEach(function (v, i) { to[4 + i].textContent = v ? time(v) : "–"; });

        to[7].textContent = many(c.calls);
        to[8].textContent = many(c.failed + c.rejected);
    });

    rows("errors", a.errors, 2, "no command was answered by an error",
         function (to, e) {
        to[0].className = "name";
        to[0].textContent = e.code;
        to[1].textContent = many(e.count);
    });
}

function showWorkers(a) {
    function of(x, w) {
        return x.workers.find(function (o) {
            return o.slot === w.slot && o.pid === w.pid;
        }) || {};
    }

    rows("workers", a.workers, 6, "no worker", function (to, w) {
        var busy = rate(a, function (x) { return of(x, w).turns_ns; });

        to[0].textContent = w.pid + (w.leaving ? ", leaving" : "");
        to[1].textContent = many(w.clients);
        to[2].textContent = count(rate(a, function (x) {
            return of(x, w).commands;
        }));
        to[3].textContent = percent(busy === null ? null : busy / 1e9);
        to[4].textContent = time(w.longest_turn_us * 1000);
        to[5].textContent = bytes(w.buffers);
    });

    rows("keyspace", a.keyspace, 5, "all databases are empty", function (to, k) {
        to[0].textContent = "db" + k.db;
        to[1].textContent = many(k.keys);
        to[2].textContent = many(k.expires);
        to[3].textContent = k.ttl_ms ? span(k.ttl_ms / 1000) : "–";
        to[4].textContent = bytes(k.tables);
    });
}

function showPersistence(a) {
    var list = byId("persistence"), aof = a.aof, snap = a.snapshot, items = [];

    byId("loading").hidden = !a.loading.running;
    if (a.loading.running) {
        text("l-said", bytes(a.loading.done_bytes) + " of "
             + bytes(a.loading.bytes) + ", " + many(a.loading.keys) + " keys");
        meter("l-bar", a.loading.done_bytes / Math.max(a.loading.bytes, 1));
    }

    byId("saving").hidden = !snap.running;
    if (snap.running) {
        text("v-said", "for " + (snap.for_aof ? "the append-only file"
                                              : "dump.rdb")
             + ": " + many(snap.done_keys) + " of " + many(snap.keys) + " keys, "
             + bytes(snap.images) + " kept as they were");
        meter("v-bar", snap.done_keys / Math.max(snap.keys, 1));
    }

    function item(name, value, bad) { items.push([name, value, bad]); }

    item("append-only file", aof.on ? bytes(aof.size) : "off");
    if (aof.on) {
        item("after its last rewrite", bytes(aof.base_size));
        item("not written, not synced", bytes(aof.unwritten) + ", "
             + bytes(aof.unsynced));
        item("replies that wait for it", many(a.clients.waiting_for_aof));
        item("rewrites", many(aof.rewrites) + (aof.rewriting ? ", one is on"
                                                             : ""));
    }
    if (aof.write_error) { item("writing it failed", aof.write_error, true); }
    if (aof.rewrite_error) {
        item("its last rewrite failed", aof.rewrite_error, true);
    }

    item("log", a.log.size ? bytes(a.log.size) + ", unread " + bytes(a.log.unread)
                           : "nobody reads it");
    item("logged in all", bytes(a.log.bytes));
    item("last snapshot", snap.saves || snap.took_s >= 0
         ? span(Math.max(0, a.now_ms / 1000 - snap.saved_at_s)) + " ago"
           + (snap.took_s >= 0 ? ", took " + span(snap.took_s) : "")
         : "none yet");
    item("changes since then", many(snap.changes));
    if (snap.error) { item("the last one failed", snap.error, true); }

    if (a.refused.aof) { item("writes are refused", "append-only file", true); }
    if (a.refused.snapshot) { item("writes are refused", "snapshot", true); }

    while (list.children.length > items.length * 2) { list.lastChild.remove(); }

    items.forEach(function (x, i) {
        var dt = list.children[i * 2] || list.appendChild(make("dt")),
            dd = list.children[i * 2 + 1] || list.appendChild(make("dd"));

        dt.textContent = x[0];
        dd.textContent = x[1];
        dd.className = x[2] ? "bad" : "";
    });
}

function showSlow(a) {
    rows("slow", a.slow, 4, "none took longer than slowlog-log-slower-than",
         function (to, e) {
        var when = new Date(e.time_s * 1000);

        to[0].textContent = when.toLocaleTimeString();
        to[0].title = when.toLocaleString();
        to[1].textContent = time(e.us * 1000);
        to[2].className = "args";
        to[2].textContent = e.args.join(" ") + (e.more ? " … " + e.more
                                                         + " more" : "");
        to[2].title = to[2].textContent;
        to[3].textContent = e.client + (e.name ? " " + e.name : "");
    });
}

function show(a) {
    text("zone", a.zone);
    document.title = "Olivine: " + a.zone;
    text("about", "version " + a.version + ", as Redis " + a.redis_version
         + " · up " + span(a.uptime_s) + " · " + a.workers.length
         + (a.workers.length === 1 ? " worker" : " workers") + " · master "
         + a.master_pid);

    showTiles(a);
    showMemory(a);
    showShards(a);
    showCommands(a);
    showWorkers(a);
    showPersistence(a);
    showSlow(a);

    last = a;
}

function state(name, className) {
    var e = byId("live");
    e.textContent = name;
    e.className = "pill " + className;
}

function alarm(s) {
    byId("alarm").hidden = !s;
    text("alarm", s);
    document.body.classList.toggle("away", !!s);
}

function later() {
    clearTimeout(timer);
    timer = null;

    if (paused) { state("paused", ""); return; }
    if (document.hidden) { state("hidden", ""); return; }

    timer = setTimeout(look, EVERY);
}

function look() {
    var stop = new AbortController(),
        limit = setTimeout(function () { stop.abort(); }, PATIENCE);

    if (fetching) { return; }

    fetching = fetch("?json=1", { signal: stop.signal, cache: "no-store" })
        .then(function (answer) {
            if (answer.ok) { return answer.json(); }

            return answer.text().then(function (body) {
                throw new Error(body.slice(0, 200).trim()
                                || "status " + answer.status);
            });
        })
        .then(function (a) {
            failures = 0;
            alarm("");
            state("live", "ok");
            show(a);
        })
        .catch(function (e) {
            failures++;
            state("away", "bad");
            alarm(e instanceof TypeError || e.name === "AbortError"
                  ? "The server does not answer; trying again." : e.message);
        })
        .then(function () {
            clearTimeout(limit);
            fetching = null;
            later();
        });
}

byId("pause").addEventListener("click", function (ev) {
    paused = !paused;
    ev.target.textContent = paused ? "Go on" : "Pause";
    ev.target.setAttribute("aria-pressed", String(paused));
    if (paused) { later(); } else { look(); }
});

document.addEventListener("visibilitychange", function () {
    if (document.hidden || paused) { later(); } else { look(); }
});

byId("s-what").addEventListener("change", function () {
    if (last) { showShards(last); }
});

window.addEventListener("resize", function () {
    Object.keys(charts).forEach(function (name) { charts[name].draw(); });
});

window.matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", function () {
        Object.keys(charts).forEach(function (name) { charts[name].draw(); });
    });

new Profile();
look();
