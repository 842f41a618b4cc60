# A round trip by redis-py:  redis_py.py PORT [3]

import sys

import redis

BIG = 1024 * 1024


def check(good, name):
    print(('' if good else 'not ') + 'ok - ' + name, flush=True)


def check_error(call, text, name):
    try:
        call()
    except redis.ResponseError as e:
        check(text in str(e), name)
    else:
        check(False, name)


def check_strings(r):
    check(r.ping() is True, 'ping')
    check(r.set('greeting', 'hello world') is True, 'set')
    check(r.get('greeting') == b'hello world', 'get')
    check(r.get('nothing') is None, 'a missing key')
    check(r.set('greeting', 'x', nx=True) is None, 'set nx')
    check(r.set('greeting', 'h\u00e9llo', xx=True, get=True) == b'hello world',
          'set xx get')
    check(r.get('greeting').decode() == 'h\u00e9llo', 'not only ascii')
    check(r.set(b'a\0b\r\n', b'\0\r\n\xff') and
          r.get(b'a\0b\r\n') == b'\0\r\n\xff', 'binary')
    check(r.set('empty', '') and r.get('empty') == b'', 'an empty value')
    check(r.incrby('counter', 40) == 40 and r.incr('counter') == 41, 'incr')
    check(r.decr('counter') == 40, 'decr')
    check(r.append('greeting', '!') == r.strlen('greeting') == 7, 'append')
    check(r.mset({'one': 1, 'two': 2}) is True, 'mset')
    check(r.mget('one', 'nothing', 'two') == [b'1', None, b'2'], 'mget')
    check(r.exists('one', 'two', 'nothing') == 2, 'exists')
    check(r.type('one') == b'string' and r.type('nothing') == b'none', 'type')
    check(r.getdel('one') == b'1' and r.get('one') is None, 'getdel')
    check(r.delete('two', 'nothing') == 1, 'delete')
    check_error(lambda: r.incr('greeting'), 'not an integer', 'an error')


def check_keys(r):
    check(r.set('short', 'x', ex=100) and r.ttl('short') == 100, 'set ex')
    check(r.getex('short', persist=True) == b'x' and r.ttl('short') == -1,
          'getex')
    check(r.pexpire('short', 100000) and 99000 < r.pttl('short') <= 100000,
          'pexpire')
    check(r.ttl('nothing') == -2, 'ttl of a missing key')

    r.mset({'scan:%d' % i: i for i in range(1000)})
    check(len(set(r.scan_iter(match='scan:*', count=100))) == 1000, 'scan')
    check(len(r.keys('scan:9?')) == 10, 'keys')
    check(r.unlink(*['scan:%d' % i for i in range(1000)]) == 1000, 'unlink')


def check_pipeline(r):
    p = r.pipeline(transaction=False)

    for i in range(1000):
        p.set('key:%d' % i, i).get('key:%d' % i)

    want = [x for i in range(1000) for x in (True, b'%d' % i)]
    check(p.execute() == want, 'a pipeline')

    value = b'v' * BIG
    check(r.set('big', value) and r.get('big') == value, 'a big value')


def check_server(r, options):
    check(r.info()['redis_version'][0].isdigit(), 'info')
    check(r.config_get('maxmemory')['maxmemory'].isdigit(), 'config get')
    check(r.client_setname('tester') and r.client_getname() in
          ('tester', b'tester'), 'client setname')
    check(r.client_id() > 0, 'client id')
    check(r.dbsize() > 0, 'dbsize')
    check(len(r.time()) == 2, 'time')
    check_error(lambda: r.execute_command('NOSUCH', 'x'), 'unknown command',
                'an unknown command')

    other = redis.Redis(db=1, decode_responses=True, **options)
    check(other.dbsize() == 0, 'another database')
    check(other.set('one', '1') and other.get('one') == '1',
          'decoded replies')
    check(other.flushdb() and other.dbsize() == 0, 'flushdb')
    check(r.dbsize() > 0, 'the first database is still there')


def main():
    options = {'port': int(sys.argv[1])}

    if len(sys.argv) > 2:
        options['protocol'] = 3

    r = redis.Redis(**options)
    check(r.flushall() is True, 'flushall')
    check_strings(r)
    check_keys(r)
    check_pipeline(r)
    check_server(r, options)
    print('done')


main()
