
/*
 * Copyright (C) The Olivine authors
 *
 * A round trip by hiredis:  hiredis PORT [3]
 */


#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#define PIPELINE  1000
#define BIG       (1024 * 1024)


static redisContext  *context;


static void
check(int good, const char *name)
{
    printf("%sok - %s\n", good ? "" : "not ", name);
}


/* The reply has this type and, if text is given, this text. */

static void
check_reply(redisReply *reply, int type, const char *text, const char *name)
{
    int  good;

    good = reply && reply->type == type
           && (text == NULL || (reply->len == strlen(text)
                                && memcmp(reply->str, text, reply->len) == 0));
    check(good, name);

    if (!good) {
        printf("%s: %s\n", name, reply ? reply->str : context->errstr);
    }

    if (reply) {
        freeReplyObject(reply);
    }
}


static void
check_integer(redisReply *reply, long long n, const char *name)
{
    check(reply && reply->type == REDIS_REPLY_INTEGER && reply->integer == n,
          name);

    if (reply) {
        freeReplyObject(reply);
    }
}


#define call(...)  ((redisReply *) redisCommand(context, __VA_ARGS__))


static void
check_strings(void)
{
    redisReply  *reply;

    check_reply(call("PING"), REDIS_REPLY_STATUS, "PONG", "ping");
    check_reply(call("SET greeting %s", "hello world"), REDIS_REPLY_STATUS,
                "OK", "set");
    check_reply(call("GET greeting"), REDIS_REPLY_STRING, "hello world",
                "get");
    check_reply(call("GET nothing"), REDIS_REPLY_NIL, NULL, "a missing key");
    check_reply(call("SET greeting x NX"), REDIS_REPLY_NIL, NULL, "set nx");
    check_reply(call("SET %b %b", "a\0b\r\n", (size_t) 5, "\0\r\n\xff",
                     (size_t) 4), REDIS_REPLY_STATUS, "OK", "binary set");

    reply = call("GET %b", "a\0b\r\n", (size_t) 5);
    check(reply && reply->len == 4 && memcmp(reply->str, "\0\r\n\xff", 4) == 0,
          "binary get");
    freeReplyObject(reply);

    check_integer(call("INCRBY counter %lld", 40LL), 40, "incrby");
    check_integer(call("INCR counter"), 41, "incr");
    check_integer(call("STRLEN greeting"), 11, "strlen");
    check_integer(call("EXPIRE greeting 100"), 1, "expire");
    check_integer(call("TTL greeting"), 100, "ttl");
    check_reply(call("INCR greeting"), REDIS_REPLY_ERROR,
                "ERR value is not an integer or out of range", "an error");
    check_reply(call("MSET one 1 two 2"), REDIS_REPLY_STATUS, "OK", "mset");

    reply = call("MGET one nothing two");
    check(reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 3
          && strcmp(reply->element[0]->str, "1") == 0
          && reply->element[1]->type == REDIS_REPLY_NIL
          && strcmp(reply->element[2]->str, "2") == 0, "mget");
    freeReplyObject(reply);

    check_integer(call("DEL one two nothing"), 2, "del");
}


static void
check_big(void)
{
    char        *value;
    redisReply  *reply;

    value = malloc(BIG);
    memset(value, 'v', BIG);

    check_reply(call("SET big %b", value, (size_t) BIG), REDIS_REPLY_STATUS,
                "OK", "a big value is set");

    reply = call("GET big");
    check(reply && reply->len == BIG && memcmp(reply->str, value, BIG) == 0,
          "a big value is read");
    freeReplyObject(reply);
    free(value);
}


static void
check_pipeline(void)
{
    int          i, good;
    redisReply  *reply;

    for (i = 0; i < PIPELINE; i++) {
        redisAppendCommand(context, "SET key:%d value:%d", i, i);
        redisAppendCommand(context, "GET key:%d", i);
    }

    good = 0;

    for (i = 0; i < PIPELINE * 2; i++) {
        if (redisGetReply(context, (void **) &reply) != REDIS_OK) {
            break;
        }

        good += reply->type == (i % 2 ? REDIS_REPLY_STRING
                                      : REDIS_REPLY_STATUS)
                && (i % 2 == 0 || atoi(reply->str + 6) == i / 2);
        freeReplyObject(reply);
    }

    check(good == PIPELINE * 2, "a pipeline");
}


int
main(int argc, char **argv)
{
    int          three;
    redisReply  *reply;

    context = redisConnect("127.0.0.1", atoi(argv[1]));
    three = argc > 2;

    if (context == NULL || context->err) {
        printf("not ok - connect\n");
        return 1;
    }

    if (three) {
        reply = call("HELLO 3");

#ifdef REDIS_REPLY_MAP
        check(reply && reply->type == REDIS_REPLY_MAP, "hello 3");
#else
        check(reply && 0, "hello 3");
#endif

        freeReplyObject(reply);
    }

    check_reply(call("FLUSHALL"), REDIS_REPLY_STATUS, "OK", "flushall");
    check_strings();
    check_big();
    check_pipeline();

    check_reply(call("SELECT 1"), REDIS_REPLY_STATUS, "OK", "select");
    check_integer(call("DBSIZE"), 0, "dbsize");
    check_reply(call("NOSUCH x"), REDIS_REPLY_ERROR, NULL,
                "an unknown command");

    redisFree(context);
    printf("done\n");

    return 0;
}
