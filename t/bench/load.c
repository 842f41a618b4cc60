
/*
 * Copyright (C) The Olivine authors
 *
 * A lean load generator: a fixed number of commands over some connections,
 * each of which sends a batch and waits for all of its replies.  Every reply
 * is compared with what it has to be.  One thread; the server is meant to be
 * the bottleneck.  "load -h" lists the options; the result is one line of
 * name=value pairs.
 */


#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>


#define LOAD_KEY       16                    /* "key:" and twelve digits */
#define LOAD_MANY      10                    /* keys of an MSET, an MGET */
#define LOAD_EVENTS    256
#define LOAD_PAGE      65536                 /* a reply to SCAN, or more */
#define LOAD_TIMEOUT   30000                 /* without any event, ms */

#define LOAD_OK        0
#define LOAD_AGAIN     -2
#define LOAD_ERROR     -1


typedef enum {
    LOAD_SET = 0,
    LOAD_GET,
    LOAD_INCR,
    LOAD_MSET,
    LOAD_MGET,
    LOAD_PING,
    LOAD_SETEX,
    LOAD_SETRANGE,
    LOAD_APPEND,
    LOAD_MULTI,
    LOAD_SCAN,
    LOAD_MIX
} load_command_e;


/* A command as bytes, and where its keys stand in them. */
typedef struct {
    char            *data;
    size_t           len;
    size_t           keys[LOAD_MANY];
    unsigned         nkeys;
} load_template_t;


typedef struct {
    int              fd;
    unsigned         sent;                   /* commands of this batch */
    unsigned         got;                    /* replies to them */
    unsigned         writing:1;              /* waits to be writable */
    uint64_t         began;
    uint64_t         cursor;                 /* of a SCAN */

    unsigned char   *kinds;                  /* load_command_e of each */

    char            *out;
    char            *pos;
    char            *last;

    char            *in;
    size_t           in_len;
} load_client_t;


typedef struct {
    /* options */
    const char      *host;
    int              port;
    unsigned         clients;
    unsigned         depth;
    uint64_t         count;
    uint64_t         keys;
    uint64_t         first;
    size_t           size;
    load_command_e   command;
    unsigned         writes;                 /* of a hundred in a mix */
    uint64_t         ttl;                    /* seconds */
    uint64_t         at;                     /* milliseconds, absolute */
    unsigned         sequential:1;
    unsigned         hold:1;
    uint64_t         seed;

    /* state */
    int              epoll;
    uint64_t         random;
    uint64_t         next;
    uint64_t         sent;
    uint64_t         done;
    uint64_t         misses;
    uint64_t         longest;

    load_template_t  templates[LOAD_MIX];
    char            *hit;
    size_t           hit_len;
    size_t           in_size;
    size_t           out_size;
} load_t;


static const char *const  load_names[] = {
    "set", "get", "incr", "mset", "mget", "ping", "setex", "setrange",
    "append", "multi", "scan", "mix", NULL
};

/*
 * Their words: K a key, V a value; ';' begins another command; what stands in
 * brackets is there ten times.
 */
static const char *const  load_words[] = {
    "SET K V", "GET K", "INCR K", "MSET [K V ]", "MGET [K ]", "PING",
    "SETEX K 100000 V", "SETRANGE K 1 V", "APPEND K x",
    "MULTI;[SET K V;]EXEC", "SCAN"
};

static const char  load_usage[] =
    "usage: load -p PORT [options]\n"
    "  -a ADDRESS  of the server (127.0.0.1)\n"
    "  -c N        connections (50)\n"
    "  -P N        commands in a batch (1)\n"
    "  -n N        commands in all (100000)\n"
    "  -t NAME     set get incr mset mget ping setex setrange append,\n"
    "              multi: ten sets in a transaction, scan: a hundred keys,\n"
    "              mix: sets and gets (set)\n"
    "  -w N        sets among a hundred of a mix (10)\n"
    "  -r N        different keys, key:%012d (1000000)\n"
    "  -f N        number of the first key (0)\n"
    "  -q          keys in sequence, not at random\n"
    "  -d N        bytes of a value (3)\n"
    "  -e SECONDS  sets expire after\n"
    "  -E MS       sets expire at, milliseconds since 1970\n"
    "  -s SEED     of the random numbers (the clock)\n"
    "  -H          then keeps the connections until stdin is closed\n";

static char  load_digits[10000][4];


static int load_options(load_t *load, int argc, char **argv);
static int load_init(load_t *load);
static int load_template(load_t *load, load_command_e command);
static char *load_expand(load_t *load, const char *words);
static unsigned load_count(const char *words);
static char *load_word(load_t *load, load_template_t *t, char *p,
    const char *word);
static char *load_bulk(char *p, const char *data, size_t len);
static int load_open(load_t *load, load_client_t *c);
static int load_run(load_t *load, load_client_t *clients);
static int load_next(load_t *load, load_client_t *c);
static char *load_build(load_t *load, load_client_t *c,
    load_command_e command, char *p);
static uint64_t load_random(load_t *load, uint64_t n);
static int load_write(load_t *load, load_client_t *c);
static int load_read(load_t *load, load_client_t *c);
static int load_replies(load_t *load, load_client_t *c);
static int load_reply(load_t *load, load_client_t *c, load_command_e kind,
    char **p, char *last);
static int load_number(char type, char **p, char *last, uint64_t *n);
static int load_page(load_client_t *c, char **p, char *last);
static int load_transaction(char **p, char *last);
static int load_value(load_t *load, char **p, char *last);
static int load_exactly(char **p, char *last, const char *want, size_t len);
static int load_wrong(const char *p, const char *last);
static void load_report(load_t *load, uint64_t ns);
static uint64_t load_now(void);


static load_t  load_state;


int
main(int argc, char **argv)
{
    char            c;
    load_t         *load = &load_state;
    unsigned        n;
    uint64_t        begin;
    load_client_t  *clients;

    if (load_options(load, argc, argv) != LOAD_OK) {
        fputs(load_usage, stderr);
        return 2;
    }

    if (load_init(load) != LOAD_OK) {
        return 1;
    }

    clients = calloc(load->clients, sizeof(load_client_t));
    if (clients == NULL) {
        perror("load: calloc");
        return 1;
    }

    for (n = 0; n < load->clients; n++) {
        if (load_open(load, &clients[n]) != LOAD_OK) {
            return 1;
        }
    }

    begin = load_now();

    if (load_run(load, clients) != LOAD_OK) {
        fprintf(stderr, "load: seed %llu, %llu of %llu done\n",
                (unsigned long long) load->seed,
                (unsigned long long) load->done,
                (unsigned long long) load->count);
        return 1;
    }

    load_report(load, load_now() - begin);

    if (load->hold) {
        while (read(STDIN_FILENO, &c, 1) > 0) { /* void */ }
    }

    return 0;
}


static int
load_options(load_t *load, int argc, char **argv)
{
    int  opt, n;

    load->host = "127.0.0.1";
    load->clients = 50;
    load->depth = 1;
    load->count = 100000;
    load->keys = 1000000;
    load->size = 3;
    load->writes = 10;
    load->seed = load_now();

    while ((opt = getopt(argc, argv, "a:c:d:e:E:f:Hn:p:P:qr:s:t:w:")) != -1) {
        switch (opt) {

        case 'a': load->host = optarg; break;
        case 'c': load->clients = atoi(optarg); break;
        case 'd': load->size = strtoull(optarg, NULL, 10); break;
        case 'e': load->ttl = strtoull(optarg, NULL, 10); break;
        case 'E': load->at = strtoull(optarg, NULL, 10); break;
        case 'f': load->first = strtoull(optarg, NULL, 10); break;
        case 'H': load->hold = 1; break;
        case 'n': load->count = strtoull(optarg, NULL, 10); break;
        case 'p': load->port = atoi(optarg); break;
        case 'P': load->depth = atoi(optarg); break;
        case 'q': load->sequential = 1; break;
        case 'r': load->keys = strtoull(optarg, NULL, 10); break;
        case 's': load->seed = strtoull(optarg, NULL, 10); break;
        case 'w': load->writes = atoi(optarg); break;

        case 't':
            for (n = 0; load_names[n]; n++) {
                if (strcmp(load_names[n], optarg) == 0) {
                    break;
                }
            }

            if (load_names[n] == NULL) {
                return LOAD_ERROR;
            }

            load->command = n;
            break;

        default:
            return LOAD_ERROR;
        }
    }

    if (load->port < 1 || load->port > 65535 || load->clients == 0
        || load->depth == 0 || load->keys == 0
        || load->keys > 0xffffffff || load->first > 0xffffffff
        || load->size > 64 * 1024 * 1024 || optind != argc)
    {
        return LOAD_ERROR;
    }

    return LOAD_OK;
}


static int
load_init(load_t *load)
{
    int       c;
    size_t    len;
    unsigned  n;

    for (n = 0; n < 10000; n++) {
        load_digits[n][0] = '0' + n / 1000;
        load_digits[n][1] = '0' + n / 100 % 10;
        load_digits[n][2] = '0' + n / 10 % 10;
        load_digits[n][3] = '0' + n % 10;
    }

    /* of any seed something that is not 0 */

    load->random = (load->seed + 1) * 0x9e3779b97f4a7c15ull | 1;

    /* "$3\r\nabc\r\n" */

    load->hit = malloc(load->size + 32);
    if (load->hit == NULL) {
        perror("load: malloc");
        return LOAD_ERROR;
    }

    len = sprintf(load->hit, "$%zu\r\n", load->size);

    for (n = 0; n < load->size; n++) {
        load->hit[len++] = 'a' + n % 26;
    }

    memcpy(load->hit + len, "\r\n", 2);
    load->hit_len = len + 2;

    len = 0;

    for (c = 0; c < LOAD_MIX; c++) {
        if (load_template(load, c) != LOAD_OK) {
            return LOAD_ERROR;
        }

        if (c == (int) load->command
            || (load->command == LOAD_MIX && c <= LOAD_GET))
        {
            len = len > load->templates[c].len ? len : load->templates[c].len;
        }
    }

    if (load->command == LOAD_SCAN) {
        len = 128;
    }

    load->out_size = load->depth * len;

    len = load->command == LOAD_SCAN ? LOAD_PAGE
          : load->command == LOAD_MGET ? LOAD_MANY * load->hit_len + 16
          : load->command == LOAD_MULTI ? 256 : load->hit_len + 32;
    load->in_size = load->depth * len + 4096;

    load->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (load->epoll == -1) {
        perror("load: epoll_create1");
        return LOAD_ERROR;
    }

    return LOAD_OK;
}


static int
load_template(load_t *load, load_command_e command)
{
    char             *p, *text, *words, *word, *next;
    load_template_t  *t;

    t = &load->templates[command];

    text = load_expand(load, load_words[command]);
    t->data = malloc(1024 + LOAD_MANY * (128 + load->size));

    if (text == NULL || t->data == NULL) {
        perror("load: malloc");
        return LOAD_ERROR;
    }

    p = t->data;

    for (words = text; words && *words; words = next) {
        next = strchr(words, ';');

        if (next) {
            *next++ = '\0';
        }

        p += sprintf(p, "*%u\r\n", load_count(words));

        for (word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            p = load_word(load, t, p, word);
        }
    }

    t->len = p - t->data;
    free(text);

    return LOAD_OK;
}


/* Words of a command with what is in brackets written out. */

static char *
load_expand(load_t *load, const char *words)
{
    char        *text, *p;
    size_t       len;
    unsigned     n;
    const char  *open, *close;

    text = malloc(256 + strlen(words) * LOAD_MANY);
    if (text == NULL) {
        return NULL;
    }

    p = stpcpy(text, words);
    open = strchr(words, '[');

    if (open) {
        close = strchr(open, ']');
        len = close - open - 1;
        p = text + (open - words);

        for (n = 0; n < LOAD_MANY; n++) {
            p = mempcpy(p, open + 1, len);
        }

        p = stpcpy(p, close + 1);
    }

    if (strncmp(words, "SET K", 5) == 0 && (load->ttl || load->at)) {
        sprintf(p, " %s %llu", load->ttl ? "EX" : "PXAT",
                (unsigned long long) (load->ttl ? load->ttl : load->at));
    }

    return text;
}


static unsigned
load_count(const char *words)
{
    unsigned  n;

    for (n = 0; *words; words++) {
        n += (*words != ' ' && (words[1] == ' ' || words[1] == '\0'));
    }

    return n;
}


static char *
load_word(load_t *load, load_template_t *t, char *p, const char *word)
{
    if (strcmp(word, "K") == 0) {
        p = load_bulk(p, "key:000000000000", LOAD_KEY);
        t->keys[t->nkeys++] = p - 2 - LOAD_KEY + 4 - t->data;

        return p;
    }

    if (strcmp(word, "V") == 0) {
        return load_bulk(p, load->hit + load->hit_len - 2 - load->size,
                         load->size);
    }

    return load_bulk(p, word, strlen(word));
}


static char *
load_bulk(char *p, const char *data, size_t len)
{
    p += sprintf(p, "$%zu\r\n", len);
    p = mempcpy(p, data, len);

    return mempcpy(p, "\r\n", 2);
}


static int
load_open(load_t *load, load_client_t *c)
{
    int                 one;
    struct linger       linger;
    struct epoll_event  ee;
    struct sockaddr_in  sin;

    c->kinds = malloc(load->depth);
    c->out = malloc(load->out_size);
    c->in = malloc(load->in_size);

    if (c->kinds == NULL || c->out == NULL || c->in == NULL) {
        perror("load: malloc");
        return LOAD_ERROR;
    }

    c->fd = socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 0);
    if (c->fd == -1) {
        perror("load: socket");
        return LOAD_ERROR;
    }

    memset(&sin, 0, sizeof(struct sockaddr_in));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(load->port);

    if (inet_pton(AF_INET, load->host, &sin.sin_addr) != 1) {
        fprintf(stderr, "load: \"%s\" is no address\n", load->host);
        return LOAD_ERROR;
    }

    if (connect(c->fd, (struct sockaddr *) &sin, sizeof(sin)) == -1) {
        perror("load: connect");
        return LOAD_ERROR;
    }

    if (load->hold) {
        /* thousands of ports must not stay in use for a minute */
        linger.l_onoff = 1;
        linger.l_linger = 0;
        (void) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger,
                          sizeof(struct linger));
    }

    one = 1;
    ee.events = EPOLLIN;
    ee.data.ptr = c;

    if (setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(int)) == -1
        || fcntl(c->fd, F_SETFL, O_NONBLOCK) == -1
        || epoll_ctl(load->epoll, EPOLL_CTL_ADD, c->fd, &ee) == -1)
    {
        perror("load: a socket");
        return LOAD_ERROR;
    }

    return LOAD_OK;
}


static int
load_run(load_t *load, load_client_t *clients)
{
    int                 i, n;
    unsigned            k;
    load_client_t      *c;
    struct epoll_event  events[LOAD_EVENTS];

    for (k = 0; k < load->clients; k++) {
        if (load_next(load, &clients[k]) != LOAD_OK) {
            return LOAD_ERROR;
        }
    }

    while (load->done < load->count) {

        n = epoll_wait(load->epoll, events, LOAD_EVENTS, LOAD_TIMEOUT);

        if (n == 0) {
            fprintf(stderr, "load: no reply within %d seconds\n",
                    LOAD_TIMEOUT / 1000);
            return LOAD_ERROR;
        }

        if (n == -1) {
            if (errno == EINTR) {
                continue;
            }

            perror("load: epoll_wait");
            return LOAD_ERROR;
        }

        for (i = 0; i < n; i++) {
            c = events[i].data.ptr;

            if ((events[i].events & EPOLLOUT)
                && load_write(load, c) != LOAD_OK)
            {
                return LOAD_ERROR;
            }

            if ((events[i].events & ~EPOLLOUT)
                && load_read(load, c) != LOAD_OK)
            {
                return LOAD_ERROR;
            }
        }
    }

    return LOAD_OK;
}


/* Builds and sends the client's next batch, if there is one. */

static int
load_next(load_t *load, load_client_t *c)
{
    unsigned        n, i;
    uint64_t        left;
    load_command_e  command;

    left = load->count - load->sent;
    n = left < load->depth ? left : load->depth;

    c->sent = n;
    c->got = 0;
    c->pos = c->out;
    c->last = c->out;
    command = load->command;

    if (n == 0) {
        return LOAD_OK;
    }

    for (i = 0; i < n; i++) {

        if (load->command == LOAD_MIX) {
            command = load_random(load, 100) < load->writes ? LOAD_SET
                                                            : LOAD_GET;
        }

        c->kinds[i] = command;
        c->last = load_build(load, c, command, c->last);
    }

    load->sent += n;
    c->began = load_now();

    return load_write(load, c);
}


static char *
load_build(load_t *load, load_client_t *c, load_command_e command, char *p)
{
    char             *digits;
    unsigned          n;
    uint64_t          key;
    load_template_t  *t;

    if (command == LOAD_SCAN) {
        n = snprintf(NULL, 0, "%llu", (unsigned long long) c->cursor);

        return p + sprintf(p, "*4\r\n$4\r\nSCAN\r\n$%u\r\n%llu\r\n"
                           "$5\r\nCOUNT\r\n$3\r\n100\r\n", n,
                           (unsigned long long) c->cursor);
    }

    t = &load->templates[command];
    memcpy(p, t->data, t->len);

    for (n = 0; n < t->nkeys; n++) {

        key = load->sequential ? load->next++ % load->keys
                               : load_random(load, load->keys);
        key += load->first;
        digits = p + t->keys[n];

        memcpy(digits + 8, load_digits[key % 10000], 4);
        key /= 10000;
        memcpy(digits + 4, load_digits[key % 10000], 4);
        memcpy(digits, load_digits[key / 10000], 4);
    }

    return p + t->len;
}


/* xorshift64*, its high half spread evenly over 0 .. n - 1 */

static uint64_t
load_random(load_t *load, uint64_t n)
{
    load->random ^= load->random >> 12;
    load->random ^= load->random << 25;
    load->random ^= load->random >> 27;

    return (load->random * 0x2545f4914f6cdd1dull >> 32) * n >> 32;
}


static int
load_write(load_t *load, load_client_t *c)
{
    ssize_t             n;
    struct epoll_event  ee;

    while (c->pos < c->last) {
        n = send(c->fd, c->pos, c->last - c->pos, MSG_NOSIGNAL);

        if (n == -1) {
            if (errno == EINTR) {
                continue;
            }

            if (errno == EAGAIN) {
                break;
            }

            perror("load: send");
            return LOAD_ERROR;
        }

        c->pos += n;
    }

    if (c->writing != (c->pos < c->last)) {
        c->writing = c->pos < c->last;
        ee.events = c->writing ? EPOLLIN|EPOLLOUT : EPOLLIN;
        ee.data.ptr = c;

        if (epoll_ctl(load->epoll, EPOLL_CTL_MOD, c->fd, &ee) == -1) {
            perror("load: epoll_ctl");
            return LOAD_ERROR;
        }
    }

    return LOAD_OK;
}


static int
load_read(load_t *load, load_client_t *c)
{
    ssize_t  n;

    n = recv(c->fd, c->in + c->in_len, load->in_size - c->in_len, 0);

    if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
        return LOAD_OK;
    }

    if (n == -1) {
        perror("load: recv");
        return LOAD_ERROR;
    }

    if (n == 0) {
        fprintf(stderr, "load: the server closed a connection\n");
        return LOAD_ERROR;
    }

    c->in_len += n;

    return load_replies(load, c);
}


static int
load_replies(load_t *load, load_client_t *c)
{
    int       rc;
    char     *p, *last, *start;
    uint64_t  took;

    p = c->in;
    last = p + c->in_len;

    while (p < last) {
        start = p;

        if (c->got == c->sent) {
            fprintf(stderr, "load: a reply to nothing\n");
            return load_wrong(start, last);
        }

        rc = load_reply(load, c, c->kinds[c->got], &p, last);

        if (rc == LOAD_ERROR) {
            return load_wrong(start, last);
        }

        if (rc == LOAD_AGAIN) {
            p = start;
            break;
        }

        c->got++;
        load->done++;
    }

    c->in_len = last - p;

    if (c->in_len && p != c->in) {
        memmove(c->in, p, c->in_len);
    }

    if (c->got < c->sent) {
        return LOAD_OK;
    }

    took = load_now() - c->began;

    if (took > load->longest) {
        load->longest = took;
    }

    return load_next(load, c);
}


/* LOAD_AGAIN: not all of it is here yet. */

static int
load_reply(load_t *load, load_client_t *c, load_command_e kind, char **p,
    char *last)
{
    int       rc, n;
    uint64_t  misses, number;

    switch (kind) {

    case LOAD_SET:
    case LOAD_SETEX:
    case LOAD_MSET:
        return load_exactly(p, last, "+OK\r\n", 5);

    case LOAD_PING:
        return load_exactly(p, last, "+PONG\r\n", 7);

    case LOAD_GET:
        return load_value(load, p, last);

    case LOAD_INCR:
    case LOAD_SETRANGE:
    case LOAD_APPEND:
        return load_number(':', p, last, &number);

    case LOAD_MULTI:
        return load_transaction(p, last);

    case LOAD_SCAN:
        return load_page(c, p, last);

    default: /* LOAD_MGET */
        rc = load_exactly(p, last, "*10\r\n", 5);
        misses = load->misses;

        for (n = 0; n < LOAD_MANY && rc == LOAD_OK; n++) {
            rc = *p == last ? LOAD_AGAIN : load_value(load, p, last);
        }

        if (rc == LOAD_AGAIN) {
            load->misses = misses;
        }

        return rc;
    }
}


static int
load_number(char type, char **p, char *last, uint64_t *n)
{
    char  *start;

    if (*p == last) {
        return LOAD_AGAIN;
    }

    start = *p;

    if (*start != type) {
        return LOAD_ERROR;
    }

    for (*n = 0; ++start < last && *start >= '0' && *start <= '9'; ) {
        *n = *n * 10 + *start - '0';
    }

    *p = start;

    return load_exactly(p, last, "\r\n", 2);
}


/* A cursor, and keys of 16 bytes. */

static int
load_page(load_client_t *c, char **p, char *last)
{
    int       rc;
    char     *digit;
    uint64_t  n, cursor;

    rc = load_exactly(p, last, "*2\r\n", 4);

    if (rc == LOAD_OK) {
        rc = load_number('$', p, last, &n);
    }

    if (rc != LOAD_OK) {
        return rc;
    }

    if ((uint64_t) (last - *p) < n + 2) {
        return LOAD_AGAIN;
    }

    for (cursor = 0, digit = *p; n; n--, digit++) {
        cursor = cursor * 10 + *digit - '0';
    }

    *p = digit;
    rc = load_exactly(p, last, "\r\n", 2);

    if (rc == LOAD_OK) {
        rc = load_number('*', p, last, &n);
    }

    for ( /* void */ ; n && rc == LOAD_OK; n--) {
        rc = load_exactly(p, last, "$16\r\nkey:", 9);

        if (rc == LOAD_OK && last - *p < LOAD_KEY - 4 + 2) {
            rc = LOAD_AGAIN;
        }

        *p += LOAD_KEY - 4 + 2;
    }

    if (rc == LOAD_OK) {
        c->cursor = cursor;
    }

    return rc;
}


static int
load_transaction(char **p, char *last)
{
    int       rc;
    unsigned  n;

    rc = load_exactly(p, last, "+OK\r\n", 5);

    for (n = 0; n < LOAD_MANY && rc == LOAD_OK; n++) {
        rc = load_exactly(p, last, "+QUEUED\r\n", 9);
    }

    if (rc == LOAD_OK) {
        rc = load_exactly(p, last, "*10\r\n", 5);
    }

    for (n = 0; n < LOAD_MANY && rc == LOAD_OK; n++) {
        rc = load_exactly(p, last, "+OK\r\n", 5);
    }

    return rc;
}


static int
load_value(load_t *load, char **p, char *last)
{
    int  rc;

    if (last - *p >= 2 && (*p)[1] == '-') {
        rc = load_exactly(p, last, "$-1\r\n", 5);

        if (rc == LOAD_OK) {
            load->misses++;
        }

        return rc;
    }

    return load_exactly(p, last, load->hit, load->hit_len);
}


static int
load_exactly(char **p, char *last, const char *want, size_t len)
{
    size_t  have;

    have = last - *p;

    if (memcmp(*p, want, have < len ? have : len) != 0) {
        return LOAD_ERROR;
    }

    if (have < len) {
        return LOAD_AGAIN;
    }

    *p += len;

    return LOAD_OK;
}


static int
load_wrong(const char *p, const char *last)
{
    int  n;

    n = last - p < 80 ? last - p : 80;

    fprintf(stderr, "load: wrong reply: \"%.*s\"\n", n, p);

    return LOAD_ERROR;
}


static void
load_report(load_t *load, uint64_t ns)
{
    struct rusage  ru;

    getrusage(RUSAGE_SELF, &ru);

    printf("done=%llu seconds=%.6f misses=%llu longest_us=%llu"
           " load_user=%.3f load_system=%.3f seed=%llu\n",
           (unsigned long long) load->done, ns / 1e9,
           (unsigned long long) load->misses,
           (unsigned long long) load->longest / 1000,
           ru.ru_utime.tv_sec + ru.ru_utime.tv_usec / 1e6,
           ru.ru_stime.tv_sec + ru.ru_stime.tv_usec / 1e6,
           (unsigned long long) load->seed);

    fflush(stdout);
}


static uint64_t
load_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}
