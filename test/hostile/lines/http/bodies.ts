import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { call, type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const spaces = 'POST /v1/orgs/acme/spaces'
const edit = 'POST /v1/spaces/{space}/content'
const type = (value: string) => ({ headers: { 'content-type': value } })
const encoding = (value: string) => ({ headers: { 'content-encoding': value } })

/** Returns a body with a list of `count` times `item`, of at most `megabytes`. */
const list = (item: string, megabytes: number) =>
  `{"changes":[${`${item},`.repeat(Math.floor((megabytes * 1e6) / (item.length + 1)) - 20)}${item}]}`

const titled = (text: string) => `{"title":${text}}`
const change = (fields: string) =>
  `{"changes":[{"operation":"insert_group","title":"G"${fields && `,${fields}`}}]}`

/** Creates a space and returns its title as the text. */
const titleOf =
  (body: unknown, headers = {}) =>
  async (stage: Stage): Promise<Seen> => {
    const seen = await stage.call('POST', '/v1/orgs/acme/spaces', { body, headers })
    return {
      status: seen.status,
      text: seen.status === 201 ? String(JSON.parse(seen.text).title) : seen.text,
    }
  }

/** Many concurrent anonymous bodies of the maximum size of an operation. */
const flood = async (stage: Stage): Promise<Seen> => {
  const body = Buffer.alloc(29_000_000, 32)
  const answers = await Promise.all(
    Array.from({ length: 24 }, () =>
      stage
        .call('POST', '/v1/spaces/{space}/content', { as: 'nobody', body })
        .catch(() => undefined),
    ),
  )
  const seen = answers.filter(answer => answer !== undefined)
  must(
    seen.every(({ status }) => status === 401),
    `answers ${seen.map(({ status }) => status)}`,
  )

  return { status: 401, text: '' }
}

const deep = (open: string, close: string, count: number) =>
  open.repeat(count) + close.repeat(count)
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`
const bomb = Buffer.from(`{"title":"${' '.repeat(200_000_000)}"}`)

export const bodies: Line[] = [
  line('E1', 'JSON 49,000 levels deep', 400, /deep/, call(spaces, deep('[', ']', 49_000))),
  line(
    'E1',
    'JSON objects 4,000 levels deep',
    400,
    /deep/,
    call(edit, `${'{"a":'.repeat(4000)}1${'}'.repeat(4000)}`),
  ),
  line(
    'E1',
    '10 million levels in 30 MB',
    '400|413',
    'in no time',
    call(edit, deep('[', ']', 14_000_000)),
  ),
  line('E1', '100,000 keys', 400, /more than/, call(edit, keys(100_000))),
  line('E1', '2 million keys in 28 MB', 400, /more than/, call(edit, keys(2_000_000))),
  line('E1', '14 million numbers in 28 MB', 400, /more than/, call(edit, list('0', 28))),
  line('E1', '9 million empty objects in 28 MB', 400, /more than/, call(edit, list('{}', 28))),
  line('E1', '9 million empty texts in 28 MB', 400, /more than/, call(edit, list('""', 28))),
  line('E1', 'a key of 20 MB', 400, 'cut in the message', async stage => {
    const seen = await stage.call('POST', '/v1/spaces/{space}/content', {
      body: `{"${'k'.repeat(20_000_000)}":1}`,
    })
    must(seen.text.length < 10_000, `the answer has ${seen.text.length} bytes`)
    return seen
  }),
  line(
    'E2',
    '{"__proto__": {"isAdmin": true}}',
    400,
    /__proto__/,
    call(spaces, '{"__proto__":{"isAdmin":true}}'),
  ),
  line(
    'E2',
    '"__proto__" with an escape',
    400,
    /__proto__/,
    call(spaces, '{"\\u005f_proto__":{"isAdmin":true}}'),
  ),
  line(
    'E2',
    '{"constructor": {"prototype": {}}}',
    400,
    /constructor/,
    call(spaces, '{"constructor":{"prototype":{}}}'),
  ),
  line('E3', 'duplicate keys', 201, /^last$/, titleOf('{"title":"first","title":"last"}')),
  ...['1e999', '-1', '1.5', '12345678901234567890', '"5"', 'null', '[]', '{}', 'true'].map(value =>
    line('E4', `${value} for a whole number`, 400, /at/, call(edit, change(`"at":${value}`))),
  ),
  line(
    'E5',
    'a lone surrogate in a title',
    400,
    /well-formed/,
    call(spaces, titled('"a\\ud800b"')),
  ),
  line('E5', 'a NUL in a title', 400, /NUL/, call(spaces, titled('"a\\u0000b"'))),
  line('E5', 'U+FFFE in a title', 400, /title/, call(spaces, titled('"a\\ufffeb"'))),
  line(
    'E5',
    'an escape sequence in a title',
    400,
    /title/,
    call(spaces, titled('"a\\u001b[31mb"')),
  ),
  line(
    'E6',
    'bytes that are not UTF-8',
    400,
    /UTF-8/,
    call(spaces, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  ),
  line('E6', 'a byte order mark', '201|400', 'is no part of the title', async stage => {
    const seen = await titleOf(Buffer.from('\ufeff{"title":"marked"}'))(stage)
    must(!seen.text.includes('\ufeff'), 'the mark is there')
    return seen
  }),
  line(
    'E6',
    'utf-16',
    415,
    /UTF-8/,
    call(spaces, Buffer.from('{"title":"x"}', 'utf16le'), type('application/json; charset=utf-16')),
  ),
  line(
    'E6',
    'utf-7',
    415,
    /UTF-8/,
    call(spaces, '{"title":"+ADw-x"}', type('application/json; charset=utf-7')),
  ),
  line('E7', 'no content type', 415, /Content-Type/, call(spaces, '{"title":"x"}', type(''))),
  line('E7', 'text/plain', 415, /Content-Type/, call(spaces, '{"title":"x"}', type('text/plain'))),
  line(
    'E7',
    'a form',
    415,
    /Content-Type/,
    call(spaces, 'title=x', type('application/x-www-form-urlencoded')),
  ),
  line('E7', 'a list', 400, /object/, call(spaces, '[]')),
  line('E7', 'a text', 400, /object/, call(spaces, '"title"')),
  line('E7', 'null', 400, /object/, call(spaces, 'null')),
  line('E7', 'a truncated body', 400, /not valid JSON/, call(spaces, '{"title":"x')),
  line('E7', 'nothing', 400, /JSON body/, call(edit, '')),
  line(
    'D4',
    'a body over the limit',
    413,
    /too large/,
    call(spaces, `{"title":"${' '.repeat(1_100_000)}"}`),
  ),
  line(
    'E6',
    'a gzip bomb of 200 MB',
    413,
    /too large/,
    call(spaces, gzipSync(bomb), encoding('gzip')),
  ),
  line(
    'E6',
    'a deflate bomb of 200 MB',
    413,
    /too large/,
    call(edit, deflateSync(bomb), encoding('deflate')),
  ),
  line(
    'E6',
    'a Brotli bomb of 200 MB',
    '413|415',
    /too large|encoding/,
    call(edit, brotliCompressSync(bomb, { params: { 1: 1 } }), encoding('br')),
  ),
  line(
    'E6',
    'a body that is not gzip',
    400,
    /not valid gzip/,
    call(spaces, 'no gzip', encoding('gzip')),
  ),
  line('E6', 'an unknown encoding', 415, /encoding/, call(spaces, '{}', encoding('zstd'))),
  ...['id', 'organization', 'createdAt', 'object', 'revision', 'permissions', 'deletedAt'].map(
    name =>
      line(
        'E12',
        `PATCH of "${name}"`,
        400,
        new RegExp(name),
        call('PATCH /v1/spaces/{space}', { [name]: 'x' }),
      ),
  ),
  line('L1', '24 bodies of 29 MB at once, without a token', 401, 'none of them is held', flood),
]
