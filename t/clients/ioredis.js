// A round trip by ioredis:  ioredis.js PORT

'use strict';

const Redis = require('ioredis');

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
    check(await r.set('greeting', 'x', 'NX') === null, 'set nx');
    check(await r.set('greeting', 'h\u00e9llo', 'XX', 'GET')
          === 'hello world', 'set xx get');

    const bytes = Buffer.from([0, 13, 10, 255]);

    check(await r.set(bytes, bytes) === 'OK'
          && bytes.equals(await r.getBuffer(bytes)), 'binary');
    check(await r.incrby('counter', 40) === 40
          && await r.incr('counter') === 41, 'incr');
    check(await r.mset({ one: 1, two: 2 }) === 'OK', 'mset');
    check(JSON.stringify(await r.mget('one', 'nothing', 'two'))
          === '["1",null,"2"]', 'mget');
    check(await r.getdel('one') === '1', 'getdel');
    check(await r.del('two', 'nothing') === 1, 'del');
    await checkError(r.incr('greeting'), 'not an integer', 'an error');
    await checkError(r.call('NOSUCH', 'x'), 'unknown command',
                     'an unknown command');
}

async function keys(r) {
    check(await r.set('short', 'x', 'EX', 100) === 'OK'
          && await r.ttl('short') === 100, 'set ex');
    check(await r.expire('short', 50) === 1 && await r.ttl('short') === 50,
          'expire');

    const many = {};
    const found = new Set();

    for (let i = 0; i < 1000; i++) {
        many['scan:' + i] = i;
    }

    await r.mset(many);

    for await (const some of r.scanStream({ match: 'scan:*', count: 100 })) {
        some.forEach((key) => found.add(key));
    }

    check(found.size === 1000, 'scan');
    check(await r.unlink(Object.keys(many)) === 1000, 'unlink');
}

async function pipeline(r) {
    const p = r.pipeline();

    for (let i = 0; i < 1000; i++) {
        p.set('key:' + i, i).get('key:' + i);
    }

    const replies = await p.exec();

    check(replies.length === 2000
          && replies.every(([ e, reply ], i) => e === null && reply
                           === (i % 2 ? String((i - 1) / 2) : 'OK')),
          'a pipeline');

    const value = 'v'.repeat(1024 * 1024);

    check(await r.set('big', value) === 'OK'
          && await r.get('big') === value, 'a big value');
}

async function server(r, port) {
    check(/redis_version:\d/.test(await r.info()), 'info');
    check(await r.client('SETNAME', 'tester') === 'OK'
          && await r.client('GETNAME') === 'tester', 'client setname');

    const other = new Redis(port, { db: 1, enableAutoPipelining: true });

    check(await other.dbsize() === 0, 'another database');
    check((await Promise.all([ other.set('one', 1), other.get('one') ]))
          .join() === 'OK,1', 'automatic pipelining');
    check(await other.flushdb() === 'OK' && await other.dbsize() === 0,
          'flushdb');
    await other.quit();
}

async function main() {
    const port = Number(process.argv[2]);
    const r = new Redis(port);

    r.on('error', (e) => {
        check(false, String(e));
        process.exit(1);
    });

    check(await r.flushall() === 'OK', 'flushall');
    await strings(r);
    await keys(r);
    await pipeline(r);
    await server(r, port);
    check(await r.quit() === 'OK', 'quit');
    console.log('done');
}

main().catch((e) => {
    console.log('not ok - ' + String(e.stack).replace(/\n/g, ' '));
    process.exit(1);
});
