
/*
 * Copyright (C) The Olivine authors
 *
 * Thousands of commands by chance, with a clock that moves and keys past
 * their time: the log's bytes, done in an empty zone much later, make the same
 * keys with the same values and expiries in all databases.
 */

/* layer: command */


#include "effect.h"


#if (NGX_OLIVINE_ASAN)
#define COMMANDS  12000
#else
#define COMMANDS  60000
#endif

#define KEYS    20
#define DBS     4
#define WORDS   32
#define BIG     200000


static u_char              noise[BIG];
static ngx_olivine_arg_t   argv[WORDS];
static char                room[WORDS][64];
static ngx_uint_t          argc;
static uint32_t            runs[WORDS];
static ngx_uint_t          nruns;
static char                dump[60000];       /* of some key; none: 0 */
static size_t              dumped;
static int64_t             ends[DBS * KEYS];
static ngx_uint_t          nends;


static ngx_uint_t
some(ngx_uint_t n)
{
    return random() % n;
}


/* A word of a command, or more of them. */

static void
word(const char *fmt, ...)
{
    char     *p;
    va_list   list;

    va_start(list, fmt);
    (void) vsnprintf(room[argc], sizeof(room[0]), fmt, list);
    va_end(list);

    for (p = strtok(room[argc], " "); p; p = strtok(NULL, " ")) {
        argv[argc].data = (u_char *) p;
        argv[argc].len = strlen(p);
        argv[argc].run = NULL;
        argc++;
    }
}


static void
key(void)
{
    word("key:%lu", some(KEYS));
}


static void
data(void *p, size_t len)
{
    argv[argc].data = p;
    argv[argc].len = len;
    argv[argc].run = NULL;

    if (len > 16384 && !c->caller.multi && some(2)) {
        runs[nruns++] = receive(&argv[argc]);
    }

    argc++;
}


static void
value(void)
{
    size_t  len;

    switch (some(12)) {

    case 0:
        data("", 0);
        break;

    case 1:
        word("%ld", random() * random());
        break;

    case 2:
        word("%lu.%lu", some(1000), some(100));
        break;

    case 3:
        len = some(4) ? some(3000) : 20000 + some(BIG - 20000);
        data(noise + some(BIG - len), len);
        break;

    case 4:
        word("0%lu", some(100));
        break;

    case 5:
    case 6:
        len = some(60);
        data(noise + some(BIG - len), len);
        break;

    default:
        word("%ld", (long) some(2000) - 1000);
        break;
    }
}


/* A time to live, or a time, of seconds or milliseconds; some are past. */

static void
ttl(ngx_uint_t at, ngx_uint_t unit)
{
    int64_t  ms;

    ms = some(4) ? 1 + some(4000) : 1 + some(100000000);

    if (some(12) == 0) {
        ms = -ms;
    }

    word("%ld", (long) (((at ? c->now : 0) + ms) / (int64_t) unit));
}


static void
lifetime(void)
{
    switch (some(4)) {

    case 0:
        word("EX");
        ttl(0, 1000);
        break;

    case 1:
        word("px");
        ttl(0, 1);
        break;

    case 2:
        word("EXAT");
        ttl(1, 1000);
        break;

    default:
        word("PXAT");
        ttl(1, 1);
        break;
    }
}


static void
condition(void)
{
    static const char  *words[] = { "IFEQ", "IFNE", "IFDEQ", "IFDNE" };

    word(words[some(4)]);

    if (some(3) == 0) {
        word("0123456789abcdef");

    } else {
        value();
    }
}


static void
set(void)
{
    word("Set");
    key();
    value();

    switch (some(5)) {

    case 0:
        word(some(2) ? "NX" : "XX");
        break;

    case 1:
        condition();
        break;
    }

    if (some(4) == 0) {
        word("GET");
    }

    switch (some(4)) {

    case 0:
        word("KEEPTTL");
        break;

    case 1:
        lifetime();
        break;
    }
}


static void
string(void)
{
    ngx_uint_t  i, n;

    static const char  *add[] = { "INCR", "decr", "INCRBY", "DECRBY" };

    switch (n = some(16)) {

    case 0:
        word(some(2) ? "SETEX" : "PSETEX");
        key();
        ttl(0, 1);
        value();
        break;

    case 1:
        word(some(2) ? "SETNX" : "GETSET");
        key();
        value();
        break;

    case 2:
        word("GETEX");
        key();

        if (some(3)) {
            lifetime();

        } else {
            word("PERSIST");
        }

        break;

    case 3:
        word("GETDEL");
        key();
        break;

    case 4:
    case 5:
        word("APPEND");
        key();
        value();
        break;

    case 6:
        word("SETRANGE");
        key();
        word("%lu", some(8) ? some(100) : some(BIG));
        value();
        break;

    case 7:
    case 8:
        n = some(4);
        word(add[n]);
        key();

        if (n > 1) {
            word("%ld", (long) some(5000) - 2500);
        }

        break;

    case 9:
        word("INCRBYFLOAT");
        key();
        word("%ld.%lu", (long) some(100) - 50, some(1000));
        break;

    case 10:
        word("INCREX");
        key();
        word(some(2) ? "BYINT %lu" : "BYFLOAT %lu.5", some(1000));

        if (some(2)) {
            word("LBOUND -1000 UBOUND %lu", some(3000));
        }

        if (some(2)) {
            word("SATURATE");
        }

        if (some(2)) {
            lifetime();

            if (some(2)) {
                word("ENX");
            }

        } else if (some(2)) {
            word("PERSIST");
        }

        break;

    case 11:
    case 12:
        word(some(2) ? "MSET" : "MSETNX");

        for (i = 1 + some(4); i; i--) {
            key();
            value();
        }

        break;

    case 13:
        i = 1 + some(4);
        word("MSETEX %lu", i);

        for ( /* void */ ; i; i--) {
            key();
            value();
        }

        if (some(3) == 0) {
            word(some(2) ? "NX" : "XX");
        }

        if (some(2)) {
            lifetime();

        } else if (some(2)) {
            word("KEEPTTL");
        }

        break;

    case 14:
        word("DELEX");
        key();

        if (some(2)) {
            condition();
        }

        break;

    default:
        word("DELIFEQ");
        key();
        value();
        break;
    }
}


static void
expiry(void)
{
    static const char  *words[] = { "EXPIRE", "PEXPIRE", "EXPIREAT",
                                    "PEXPIREAT", "PERSIST" };
    static const char  *when[] = { "NX", "XX", "GT", "LT" };

    ngx_uint_t  n;

    n = some(5);
    word(words[n]);
    key();

    if (n == 4) {
        return;
    }

    ttl(n > 1, n & 1 ? 1 : 1000);

    if (some(2)) {
        word(when[some(4)]);
    }
}


static void
restore(void)
{
    if (dumped == 0 || some(2)) {
        word("DUMP");
        key();
        return;
    }

    word("RESTORE");
    key();

    if (some(2)) {
        word("0");

    } else {
        word("%ld", (long) c->now - 500 + (long) some(5000));
    }

    data(dump, dumped);

    word("REPLACE ABSTTL");

    if (some(3) == 0) {
        word("IDLETIME %lu", some(1000));
    }
}


static void
keys(void)
{
    ngx_uint_t  i;

    switch (some(10)) {

    case 0:
        word(some(2) ? "DEL" : "UNLINK");

        for (i = 1 + some(3); i; i--) {
            key();
        }

        break;

    case 1:
    case 2:
        word(some(2) ? "RENAME" : "renamenx");
        key();
        key();
        break;

    case 3:
    case 4:
        word("COPY");
        key();
        key();

        if (some(2)) {
            word("DB %lu", some(DBS));
        }

        if (some(2)) {
            word("REPLACE");
        }

        break;

    case 5:
        word("MOVE");
        key();
        word("%lu", some(DBS));
        break;

    case 6:
    case 7:
        restore();
        break;

    default:
        expiry();
        break;
    }
}


static void
whole(void)
{
    switch (some(8)) {

    case 0:
    case 1:
        word("SWAPDB %lu %lu", some(DBS), some(DBS));
        break;

    case 2:
        word(some(2) ? "FLUSHDB" : "FLUSHDB ASYNC");
        break;

    case 3:
        word(some(2) ? "FLUSHALL" : "FLUSHALL SYNC");
        break;

    default:
        word("SELECT %lu", some(DBS));
        break;
    }
}


static void
read_some(void)
{
    static const char  *words[] = { "GET", "MGET", "EXISTS", "TTL", "STRLEN",
                                    "TOUCH", "TYPE" };

    word(words[some(7)]);
    key();
}


static void
build(void)
{
    argc = 0;
    nruns = 0;

    switch (some(40)) {

    case 0:
        word("MULTI");
        break;

    case 1:
        word("WATCH");
        key();
        break;

    case 2:
        word("NOSUCH");
        break;

    case 3:
        whole();
        break;

    case 4:
    case 5:
    case 6:
    case 7:
        if (c->caller.multi) {
            word(some(10) ? "EXEC" : "DISCARD");
            break;
        }

        /* fall through */

    case 8:
    case 9:
    case 10:
        read_some();
        break;

    default:
        switch (some(4)) {

        case 0:
        case 1:
            string();
            break;

        case 2:
            keys();
            break;

        default:
            set();
        }
    }
}


static void
act(void)
{
    char        *p;
    ngx_uint_t   i, vain;

    build();

    for (vain = 0; vain < 1000; vain++) {
        give(c, argv, argc);

        if (c->rc != NGX_AGAIN) {
            break;
        }

        if (c->cx.park == NGX_OLIVINE_PARK_CREDIT) {
            (void) replay();
        }
    }

    assert_int_equal(c->rc, NGX_OK);

    for (i = 0; i < nruns; i++) {
        (void) ngx_olivine_receipt_close(c->z.tx, runs[i]);
    }

    if (argv[0].data == (u_char *) room[0] && strcmp(room[0], "DUMP") == 0
        && c->text[0] == '$' && c->text[1] != '-')
    {
        dumped = strtol(c->text + 1, &p, 10);

        if (dumped > sizeof(dump)) {
            dumped = 0;
            return;
        }

        memcpy(dump, p + 2, dumped);
    }
}


static void
tick(unit_command_t *to)
{
    uint32_t    db;
    ngx_uint_t  i;

    db = to->caller.db;
    to->cx.now = to->now;

    for (i = 0; i < to->z.zone->nshards; i++) {
        (void) ngx_olivine_command_tick(&to->cx, i, 8);
    }

    to->caller.db = db;
}


/* The expiry of each key, whatever the time is. */

static void
collect(unit_command_t *from)
{
    ngx_str_t          name;
    ngx_uint_t         db, i;
    char               text[16];
    ngx_olivine_ref_t  ref;

    nends = 0;
    name.data = (u_char *) text;

    for (db = 0; db < DBS; db++) {

        for (i = 0; i < KEYS; i++) {
            name.len = sprintf(text, "key:%lu", i);

            while (unit_find(from->z.tx, db, &name, 1, &ref) != NGX_OK) {
                (void) ngx_olivine_tx_fetch(from->z.tx);
            }

            ends[nends++] = ref.entry ? ngx_olivine_entry_expire(ref.entry)
                                      : -1;
            ngx_olivine_tx_unlock(from->z.tx);
        }
    }
}


static ngx_uint_t
compare(void)
{
    int64_t     first[DBS * KEYS];
    ngx_uint_t  i, past;

    tick(d);
    same();

    collect(c);
    memcpy(first, ends, sizeof(first));
    collect(d);
    assert_memory_equal(first, ends, sizeof(first));

    past = 0;

    for (i = 0; i < nends; i++) {
        past += (first[i] > 0 && first[i] <= c->now);
    }

    return past;
}


static void
test_replay_makes_the_same_keys(void **state)
{
    ngx_uint_t  i, past;

    for (i = 0; i < BIG; i++) {
        noise[i] = random();
    }

    past = 0;
    dumped = 0;

    for (i = 0; i < COMMANDS; i++) {

        c->now += some(100) ? some(20) : some(4000);

        act();

        if (some(50) == 0) {
            tick(c);
        }

        if (some(20) == 0) {
            (void) replay();
        }

        if (some(200) == 0) {
            (void) replay();
            past += compare();
        }
    }

    argc = 0;
    word(c->caller.multi ? "DISCARD" : "UNWATCH");
    give(c, argv, argc);

    (void) replay();
    past += compare();

    /* it was no walk past what is meant */

    assert_true(past > COMMANDS / 1000);
    assert_true(effects > COMMANDS / 4);
    assert_true(c->z.tx->slot->counters.expired > COMMANDS / 100);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_replay_makes_the_same_keys,
                                        setup, teardown),
    };

    return unit_run(tests);
}
