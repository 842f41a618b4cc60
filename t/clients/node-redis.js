// A round trip by node-redis:  node-redis.js PORT [3]

'use strict';

const { createClient } = require('redis');

function check(good, name) {
    console.log((good ? '' : 'not ') + 'ok - ' + name);
}

async function checkError(promise, text, name) {
    try {
        await promise;
        check(false, name);
    } catch (e) {
        check(e.message.includes(text), name);
    }
}

async function strings(r) {
    check(await r.ping() === 'PONG', 'ping');
    check(await r.set('greeting', 'hello world') === 'OK', 'set');
    check(await r.get('greeting') === 'hello world', 'get');
    check(await r.get('nothing') === null, 'a missing key');
    check(await r.set('greeting', 'x', { NX: true }) === null, 'set nx');
    check(await r.set('greeting', 'h\u00e9llo', { XX: true, GET: true })
          === 'hello world', 'set xx get');
    check(await r.get('greeting') === 'h\u00e9llo', 'not only ascii');
    check(await r.set('empty', '') === 'OK' && await r.get('empty') === '',
          'an empty value');
    check(await r.incrBy('counter', 40) === 40
          && await r.incr('counter') === 41, 'incr');
    check(await r.append('greeting', '!') === await r.strLen('greeting'),
          'append');
    check(await r.mSet({ one: '1', two: '2' }) === 'OK', 'mset');
    check(JSON.stringify(await r.mGet(['one', 'nothing', 'two']))
          === '["1",null,"2"]', 'mget');
    check(await r.exists(['one', 'two', 'nothing']) === 2, 'exists');
    check(await r.type('one') === 'string', 'type');
    check(await r.getDel('one') === '1', 'getdel');
    check(await r.del(['two', 'nothing']) === 1, 'del');
    await checkError(r.incr('greeting'), 'not an integer', 'an error');
    await checkError(r.sendCommand(['NOSUCH', 'x']), 'unknown command',
                     'an unknown command');
}

async function keys(r) {
    check(await r.set('short', 'x', { EX: 100 }) === 'OK'
          && await r.ttl('short') === 100, 'set ex');
    check(await r.persist('short') === 1 && await r.ttl('short') === -1,
          'persist');
    check(await r.ttl('nothing') === -2, 'ttl of a missing key');

    const many = {};
    const found = new Set();

    for (let i = 0; i < 1000; i++) {
        many['scan:' + i] = String(i);
    }

    await r.mSet(many);

    for await (const some of r.scanIterator({ MATCH: 'scan:*', COUNT: 100 })) {
        [].concat(some).forEach((key) => found.add(key));
    }

    check(found.size === 1000, 'scan');
    check((await r.keys('scan:9?')).length === 10, 'keys');
    check(await r.unlink(Object.keys(many)) === 1000, 'unlink');
}

async function pipeline(r) {
    const sent = [];

    // commands of one tick go out together
    for (let i = 0; i < 1000; i++) {
        sent.push(r.set('key:' + i, String(i)), r.get('key:' + i));
    }

    const replies = await Promise.all(sent);

    check(replies.every((reply, i) => reply
                        === (i % 2 ? String((i - 1) / 2) : 'OK')),
          'a pipeline');

    const value = 'v'.repeat(1024 * 1024);

    check(await r.set('big', value) === 'OK'
          && await r.get('big') === value, 'a big value');
}

async function server(r) {
    check(/redis_version:\d/.test(await r.info()), 'info');
    check('maxmemory' in await r.configGet('maxmemory'), 'config get');
    check(await r.clientSetName('tester') === 'OK'
          && await r.clientGetName() === 'tester', 'client setname');
    check(await r.clientId() > 0, 'client id');
    check(await r.dbSize() > 0, 'dbsize');

    const other = r.duplicate({ database: 1 });
    await other.connect();
    check(await other.dbSize() === 0, 'another database');
    check(await other.set('one', '1') === 'OK'
          && await other.flushDb() === 'OK'
          && await other.dbSize() === 0, 'flushdb');
    other.destroy();
}

async function main() {
    const options = { url: 'redis://127.0.0.1:' + process.argv[2] };

    if (process.argv[3]) {
        options.RESP = 3;
    }

    const r = createClient(options);
    r.on('error', (e) => {
        check(false, String(e));
        process.exit(1);
    });
    await r.connect();
    check(await r.flushAll() === 'OK', 'flushall');
    await strings(r);
    await keys(r);
    await pipeline(r);
    await server(r);
    await r.close();
    console.log('done');
}

main().catch((e) => {
    console.log('not ok - ' + String(e.stack).replace(/\n/g, ' '));
    process.exit(1);
});
