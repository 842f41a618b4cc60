
/*
 * Copyright (C) The Olivine authors
 *
 * Many clients in one process, which send small batches and judge what comes
 * back; a client whose server process dies connects anew.  Who calls it kills
 * the server's workers meanwhile.  "stress -T" tests the checker instead.
 *
 * Exit status 0 if all was right; the last line tells what was done.
 */


#define _GNU_SOURCE

#include "stress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>


#define STRESS_EVENTS   64
#define STRESS_HUNG     10000000000ull       /* no reply for so long, ns */
#define STRESS_BUFFER   (STRESS_BATCH * (STRESS_VALUE + 256))


static const char  stress_usage[] =
    "usage: stress -p PORT [-t SECONDS] [-c CLIENTS] [-d DEPTH] [-s SEED]\n"
    "       stress -T [-s SEED]\n";


static int stress_options(stress_t *st, int argc, char **argv);
static int stress_run(stress_t *st, stress_client_t *clients);
static int stress_connect(stress_t *st, stress_client_t *c);
static int stress_event(stress_t *st, stress_client_t *c, unsigned events);
static int stress_next(stress_t *st, stress_client_t *c);
static int stress_write(stress_client_t *c);
static int stress_read(stress_t *st, stress_client_t *c);
static int stress_lost(stress_t *st, stress_client_t *c);


static int  stress_epoll;


int
main(int argc, char **argv)
{
    int               rc;
    unsigned          i;
    stress_client_t  *clients;

    static stress_t  st;

    rc = stress_options(&st, argc, argv);
    if (rc != 1) {
        return rc == 0 ? 0 : 2;
    }

    setvbuf(stdout, NULL, _IOLBF, 0);

    stress_epoll = epoll_create1(EPOLL_CLOEXEC);
    clients = calloc(st.clients, sizeof(stress_client_t));

    if (stress_epoll == -1 || clients == NULL
        || stress_commands_init(&st) == -1)
    {
        perror("stress");
        return 1;
    }

    for (i = 0; i < st.clients; i++) {
        clients[i].fd = -1;
        clients[i].number = i;
        clients[i].call = stress_now();
        clients[i].out = malloc(STRESS_BUFFER);
        clients[i].in = malloc(STRESS_BUFFER);

        if (clients[i].out == NULL || clients[i].in == NULL) {
            perror("stress");
            return 1;
        }
    }

    rc = stress_run(&st, clients);

    printf("%s: %llu replies, %llu commands without one, %llu connections, "
           "%llu histories, %llu of them unknown, longest wait %llu us, "
           "%llu ms of judging, seed %llu\n",
           rc == 1 ? "right" : "WRONG", (unsigned long long) st.replies,
           (unsigned long long) st.lost, (unsigned long long) st.reconnects,
           (unsigned long long) st.windows, (unsigned long long) st.unknown,
           (unsigned long long) st.longest / 1000,
           (unsigned long long) st.judged / 1000000,
           (unsigned long long) st.seed);

    return rc == 1 ? 0 : 1;
}


/* 1: go on; 0: all is done; -1: wrong. */

static int
stress_options(stress_t *st, int argc, char **argv)
{
    int  opt, test;

    test = 0;
    st->seconds = 8;
    st->clients = 16;
    st->depth = 8;
    st->seed = stress_now() % 1000000000;

    while ((opt = getopt(argc, argv, "c:d:p:s:t:T")) != -1) {
        switch (opt) {
        case 'c': st->clients = atoi(optarg); break;
        case 'd': st->depth = atoi(optarg); break;
        case 'p': st->port = atoi(optarg); break;
        case 's': st->seed = strtoull(optarg, NULL, 10); break;
        case 't': st->seconds = atoi(optarg); break;
        case 'T': test = 1; break;
        default:  st->depth = 0;
        }
    }

    if (test) {
        return stress_self_test(st->seed) ? 0 : -1;
    }

    if (st->port == 0 || st->clients == 0 || st->depth == 0
        || st->depth > STRESS_BATCH)
    {
        fputs(stress_usage, stderr);
        return -1;
    }

    st->random = st->seed * 2 + 1;

    return 1;
}


static int
stress_run(stress_t *st, stress_client_t *clients)
{
    int                 i, n;
    unsigned            k;
    uint64_t            now, end;
    stress_client_t    *c;
    struct epoll_event  events[STRESS_EVENTS];

    end = stress_now() + st->seconds * 1000000000ull;

    for ( ;; ) {
        now = stress_now();
        st->ending = now >= end;

        if (st->ending && stress_verified(st, clients)) {
            return 1;
        }

        for (k = 0; k < st->clients; k++) {
            c = &clients[k];

            if (c->fd == -1 && stress_connect(st, c) != 1) {
                /* perhaps the next time; but it must not go on for ever */
                if (now > c->call + STRESS_HUNG) {
                    printf("stress: client %u cannot connect\n", c->number);
                    return -1;
                }

                continue;
            }

            if (c->got == c->n && stress_next(st, c) != 1) {
                return -1;
            }

            if (c->got < c->n && now > c->call + STRESS_HUNG) {
                printf("stress: client %u waits for ever\n", c->number);
                return -1;
            }
        }

        n = epoll_wait(stress_epoll, events, STRESS_EVENTS, 10);

        for (i = 0; i < n; i++) {
            c = events[i].data.ptr;

            if (stress_event(st, c, events[i].events) != 1) {
                return -1;
            }
        }
    }
}


static int
stress_connect(stress_t *st, stress_client_t *c)
{
    int                 fd, one;
    struct epoll_event  ee;
    struct sockaddr_in  sin;

    fd = socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 0);
    if (fd == -1) {
        return -1;
    }

    memset(&sin, 0, sizeof(struct sockaddr_in));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(st->port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    one = 1;
    ee.events = EPOLLIN;
    ee.data.ptr = c;

    if (connect(fd, (struct sockaddr *) &sin, sizeof(sin)) == -1
        || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(int)) == -1
        || fcntl(fd, F_SETFL, O_NONBLOCK) == -1
        || epoll_ctl(stress_epoll, EPOLL_CTL_ADD, fd, &ee) == -1)
    {
        close(fd);
        return -1;
    }

    c->fd = fd;
    c->in_len = 0;
    c->writing = 0;
    c->n = 0;
    c->got = 0;
    st->reconnects++;

    return 1;
}


static int
stress_event(stress_t *st, stress_client_t *c, unsigned events)
{
    int  rc;

    if (c->fd == -1) {
        return 1;
    }

    if (events & EPOLLOUT) {
        rc = stress_write(c);

        if (rc == -1) {
            return stress_lost(st, c);
        }
    }

    if (events & ~EPOLLOUT) {
        return stress_read(st, c);
    }

    return 1;
}


static int
stress_next(stress_t *st, stress_client_t *c)
{
    c->call = stress_now();
    c->judged = st->judged;
    stress_choose(st, c);

    if (c->n == 0) {
        return 1;
    }

    if (stress_write(c) == -1) {
        return stress_lost(st, c);
    }

    return 1;
}


/* 1, or -1: the connection is lost. */

static int
stress_write(stress_client_t *c)
{
    ssize_t             n;
    struct epoll_event  ee;

    while (c->pos < c->last) {
        n = send(c->fd, c->pos, c->last - c->pos, MSG_NOSIGNAL);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n == -1 && errno == EAGAIN) {
            break;
        }

        if (n == -1) {
            return -1;
        }

        c->pos += n;
    }

    if (c->writing != (c->pos < c->last)) {
        c->writing = c->pos < c->last;
        ee.events = c->writing ? EPOLLIN|EPOLLOUT : EPOLLIN;
        ee.data.ptr = c;
        (void) epoll_ctl(stress_epoll, EPOLL_CTL_MOD, c->fd, &ee);
    }

    return 1;
}


static int
stress_read(stress_t *st, stress_client_t *c)
{
    int       rc;
    char     *p, *start, *last;
    ssize_t   n;
    int64_t   wait;
    uint64_t  now;

    n = recv(c->fd, c->in + c->in_len, STRESS_BUFFER - 1 - c->in_len, 0);

    if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
        return 1;
    }

    if (n <= 0) {
        return stress_lost(st, c);
    }

    now = stress_now();
    c->in_len += n;
    c->in[c->in_len] = '\0';

    p = c->in;
    last = c->in + c->in_len;

    while (p < last) {
        start = p;

        if (c->got == c->n) {
            printf("stress: a reply to nothing: \"%.40s\"\n", p);
            return -1;
        }

        rc = stress_judge(st, c, &p, last, now);

        if (rc == -1) {
            return -1;
        }

        if (rc == 0) {
            p = start;
            break;
        }

        c->got++;
        st->replies++;
    }

    c->in_len = last - p;
    memmove(c->in, p, c->in_len);

    if (c->got < c->n) {
        return 1;
    }

    /* a history that was judged meanwhile is not the server's fault */

    wait = now - c->call - (st->judged - c->judged);

    if (wait > (int64_t) st->longest) {
        st->longest = wait;
    }

    return stress_next(st, c);
}


static int
stress_lost(stress_t *st, stress_client_t *c)
{
    int  rc;

    rc = stress_died(st, c, stress_now());

    close(c->fd);
    c->fd = -1;
    c->n = 0;
    c->got = 0;

    return rc;
}


int
stress_parse(char **p, char *last, stress_reply_t *reply)
{
    char     *end, *line;
    int64_t   number;

    if (*p == last) {
        return 0;
    }

    end = memmem(*p, last - *p, "\r\n", 2);
    if (end == NULL) {
        return 0;
    }

    line = *p + 1;
    number = strtoll(line, NULL, 10);

    reply->type = **p;
    reply->number = number;
    reply->data = line;
    reply->len = end - line;
    reply->nil = 0;

    switch (reply->type) {

    case '+':
    case '-':
    case ':':
    case '*':
        *p = end + 2;
        return 1;

    case '$':
        if (number == -1) {
            reply->nil = 1;
            *p = end + 2;
            return 1;
        }

        if (last - (end + 2) < number + 2) {
            return 0;
        }

        reply->data = end + 2;
        reply->len = number;
        *p = end + 2 + number + 2;
        return 1;

    default:
        return -1;
    }
}


uint64_t
stress_random(stress_t *st, unsigned n)
{
    st->random ^= st->random >> 12;
    st->random ^= st->random << 25;
    st->random ^= st->random >> 27;

    return (st->random * 0x2545f4914f6cdd1dull >> 32) * n >> 32;
}


uint64_t
stress_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}
