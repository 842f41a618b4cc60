
// numbers as people read them, and elements; data only ever becomes text

function byId(id) {
    return document.getElementById(id);
}

function text(id, value) {
    var e = byId(id);
    if (e.textContent !== value) { e.textContent = value; }
}

function make(tag, className, value) {
    var e = document.createElement(tag);
    if (className) { e.className = className; }
    if (value !== undefined) { e.textContent = value; }
    return e;
}

function scaled(n, step, units) {
    var i = 0, digits;

    while (n >= step * 0.9995 && i < units.length - 1) { n /= step; i++; }

    digits = i === 0 && n === Math.round(n) ? 0 : n < 9.995 ? 2 : n < 99.95 ? 1 : 0;
    return n.toFixed(digits) + units[i];
}

function count(n) {
    return n === null ? "–" : scaled(n, 1000, ["", "k", "M", "G", "T", "P"]);
}

function bytes(n) {
    return n === null ? "–" : scaled(n, 1024, [" B", " KiB", " MiB", " GiB", " TiB"]);
}

function time(ns) {
    return ns === null ? "–"
        : scaled(ns, 1000, [" ns", " µs", " ms", " s"]);
}

function percent(part) {
    return part === null ? "–" : (part * 100).toFixed(part < 0.0995 ? 1 : 0) + "%";
}

function span(s) {
    var d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24,
        m = Math.floor(s / 60) % 60;

    return d ? d + " d " + h + " h" : h ? h + " h " + m + " min"
        : m ? m + " min " + Math.floor(s % 60) + " s"
        : Math.floor(s) + " s";
}

function many(n) {
    return n.toLocaleString("en");
}

function css(name) {
    return getComputedStyle(document.documentElement)
        .getPropertyValue(name).trim();
}

// as many rows as there are items; fill(cells, item) sets them

function rows(id, items, cells, none, fill) {
    var body = byId(id).tBodies[0], i, k, row;

    if (items.length === 0) {
        if (body.rows.length !== 1 || !body.rows[0].cells[0].colSpan
            || body.rows[0].cells.length !== 1)
        {
            body.textContent = "";
            row = body.insertRow();
            row.appendChild(make("td", "none", none)).colSpan = cells;
        }

        return;
    }

    if (body.rows.length && body.rows[0].cells.length !== cells) {
        body.textContent = "";
    }

    while (body.rows.length > items.length) { body.deleteRow(-1); }

    for (i = 0; i < items.length; i++) {
        row = body.rows[i];

        if (!row) {
            row = body.insertRow();
            for (k = 0; k < cells; k++) { row.insertCell(); }
        }

        fill(row.cells, items[i]);
    }
}

function meter(id, part) {
    var e = byId(id), p = Math.max(0, Math.min(1, part || 0)) * 100;

    e.firstElementChild.style.width = p + "%";
    e.classList.toggle("high", p > 90);
    e.setAttribute("aria-valuenow", p.toFixed(0));
}
