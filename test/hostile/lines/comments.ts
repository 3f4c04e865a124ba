import { beside } from '../beside.ts'
import { call, type Line, line, must, type Seen } from '../line.ts'
import type { Stage } from '../stage.ts'

const comments = '/v1/spaces/{space}/comments'
const inRequest = '/v1/spaces/{space}/change-requests/{changeRequest}/comments'
const one = `${comments}/{comment}`

const said = (markdown: string) => ({ body: { markdown } })
/** Returns a text as handwritten JSON. */
const raw = (text: string) => `{"body":{"markdown":${text}}}`

const post = (body: unknown, as = 'admin') => call(`POST ${comments}`, body, { as })
const react = (...addedReactions: unknown[]) => call(`PUT ${one}`, { addedReactions })
const list = (query: string) => call(`GET ${comments}?${query}`)

const textOf = (text: string) => ({ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] })
const leaf = textOf('x')
const block = (type: string, nodes: unknown[]) => ({ object: 'block', type, isVoid: false, nodes })
const document = (nodes: unknown[]) => ({
  body: { document: { object: 'document', data: {}, nodes } },
})

/**
 * Returns a document of nested blocks as JSON: an object that deep could not be written by
 * `JSON.stringify`.
 */
const nested = (depth: number) =>
  `{"body":{"document":{"object":"document","data":{},"nodes":[${'{"object":"block","type":"blockquote","isVoid":false,"nodes":['.repeat(depth)}${']}'.repeat(depth)}]}}}`

/**
 * Posts a text, and reads it as a document: alone and in the list. Returns the length of the
 * document.
 */
const asDocument = (markdown: string) => async (stage: Stage) => {
  const posted = await stage.call('POST', comments, { body: said(markdown) })
  must(posted.status === 200, `it was not taken: ${posted.status} ${posted.text.slice(0, 200)}`)
  const { id } = JSON.parse(posted.text) as { id: string }
  const read = await stage.call('GET', `${comments}/${id}?format=document`)
  const listed = await stage.call('GET', `${comments}?format=document&limit=1`)

  must(
    read.status === 200 && listed.status === 200,
    `it was answered ${read.status} and ${listed.status}`,
  )
  const again = await stage.call('GET', `${comments}/${id}`)
  const { body } = JSON.parse(Buffer.from(again.text, 'latin1').toString()) as {
    body: { markdown: string }
  }

  must(body.markdown === markdown, 'the text is another one')
  await stage.call('DELETE', `${comments}/${id}`)

  return read
}

const unfriendly: [what: string, text: string][] = [
  ['10,000 quotes in one another', `${'>'.repeat(10_000)} x`],
  ['9,000 lists in one another', `${'- '.repeat(9_000)}x`],
  ['20,000 opening brackets', '['.repeat(20_000)],
  ['20,000 opening angle brackets', '<'.repeat(20_000)],
  ['10,000 pictures that do not end', '!['.repeat(10_000)],
  ['5,000 emphases that do not end', '*a _b'.repeat(4_000)],
  [
    'runs of back ticks, each longer than the last',
    Array.from({ length: 190 }, (_, n) => '`'.repeat(n)).join(' '),
  ],
  ['20,000 stars', '*'.repeat(20_000)],
  ['a table of 9,000 columns', `${'|a'.repeat(4_900)}|\n${'|-'.repeat(4_900)}|`],
  ['script and an event handler', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  [
    'links to "javascript:"',
    '[a](javascript:alert(1)) [b](<JaVaScRiPt:alert(1)>) ![c](data:text/html,x)',
  ],
]

/** Comments of other users, and comments elsewhere. */
const by = async (stage: Stage, as: string, method: string, body?: unknown): Promise<Seen> => {
  const { text } = await stage.call('POST', comments, { body: said('Mine.') })
  return stage.call(method, `${comments}/${JSON.parse(text).id}`, { as, body })
}

/** Sends a cursor of one list of comments to another list. */
const cursor =
  (from: string, to: string, as = 'admin') =>
  async (stage: Stage) => {
    for (let n = 0; n < 2; n++)
      await stage.call('POST', from.split('?')[0]!, { as, body: said('One more.') })
    const { text } = await stage.call('GET', from, { as })
    const { next } = JSON.parse(text) as { next?: { page: string } }
    must(next, `${from} gives no cursor: ${text.slice(0, 200)}`)
    return stage.call('GET', `${to}page=${encodeURIComponent(next.page)}`)
  }

/** Posts more comments and replies than the hourly limit; other users are unaffected. */
const byScript = async (): Promise<Seen> => {
  const stage = await beside('hurried', {
    env: { STEMMA_MAX_COMMENTS_PER_HOUR: '20', STEMMA_LOG: 'warn' },
  })
  const space = `/v1/spaces/${await stage.space()}`
  await stage.call('POST', `${space}/permissions`, { body: { role: 'comment', users: ['editor'] } })
  const path = `${space}/comments`
  const answers: Seen[] = []

  for (let n = 0; n < 60; n++)
    answers.push(await stage.call('POST', path, { body: said(`Spam ${n}.`) }))
  const taken = answers.filter(({ status }) => status === 200)

  must(taken.length === 20, `${taken.length} were taken`)
  const { id } = JSON.parse(taken[0]!.text) as { id: string }
  const reply = await stage.call('POST', `${path}/${id}/replies`, { body: said('Spam.') })

  must(reply.status === 429, `a reply was answered ${reply.status}`)
  const other = await stage.call('POST', path, { as: 'editor', body: said('Not spam.') })

  must(other.status === 200, `somebody else was answered ${other.status}`)

  return answers.at(-1)!
}

/** Adds the same reaction with many concurrent requests: it counts once. */
const atOnce = async (stage: Stage): Promise<Seen> => {
  const same = Array.from({ length: 30 }, () => react('👍')(stage))
  const answers = await Promise.all(same)
  const counts = answers.map(({ text }) => JSON.parse(text).reactions[0]?.count)
  must(
    counts.every(count => count === 1),
    `it counts ${counts}`,
  )
  return answers[0]!
}

const fifty = Array.from({ length: 50 }, (_, n) => `:emoji-${n}:`)

export const commentLines: Line[] = [
  line(
    'E',
    '20,001 characters of Markdown',
    400,
    /20000 characters/,
    post(said('x'.repeat(20_001))),
  ),
  line(
    'E',
    '20,000 characters of four bytes',
    200,
    'they count once each',
    post(said('👍'.repeat(20_000))),
  ),
  line('E', 'a comment of whitespace only', 400, /markdown/, post(said(' \n\t '))),
  line('E5', 'a NUL in a comment', 400, /NUL/, post(raw('"a\\u0000b"'))),
  line('E5', 'a lone surrogate in a comment', 400, /well-formed/, post(raw('"a\\ud800b"'))),
  ...[
    '{}',
    '{"body":{}}',
    '{"body":null}',
    '{"body":[]}',
    '{"body":"x"}',
    '{"body":{"markdown":1}}',
  ].map(body => line('E', `the comment ${body}`, 400, /body/, post(body))),
  line(
    'E',
    'a text and a document in one comment',
    400,
    /markdown.*document/,
    post({ body: { markdown: 'x', ...document([block('paragraph', [leaf])]).body } }),
  ),
  line('E1', 'a document 5,000 levels deep', 400, /deep/, post(nested(5_000))),
  line('E1', 'a document 60 levels deep', 400, /body/, post(nested(60))),
  line(
    'E',
    'a document of 200,000 characters',
    400,
    /100000/,
    post(document([block('paragraph', [textOf('x'.repeat(200_000))])])),
  ),
  line(
    'E',
    'a document with an unknown kind of node',
    400,
    /nodes/,
    post(document([block('script', [leaf])])),
  ),
  line('E', 'a document without nodes', 400, /node/, post(document([]))),
  line(
    'E2',
    '__proto__ in a comment',
    400,
    /__proto__/,
    post('{"body":{"markdown":"x","__proto__":{"a":1}}}'),
  ),
  ...unfriendly.map(([what, text]) =>
    line('C', `${what}, as a document`, 200, 'the text stays as it was sent', asDocument(text)),
  ),
  line('E', '51 emoji at once', 400, /50/, react(...fifty, ':one-more:')),
  line('E', '50 emoji, and then another one', 409, /50 different emoji/, async stage => {
    const { text } = await stage.call('POST', comments, { body: said('Much liked.') })
    const path = `${comments}/${JSON.parse(text).id}`
    const first = await stage.call('PUT', path, { body: { addedReactions: fifty } })
    must(first.status === 200, `the 50 were answered ${first.status}`)
    return stage.call('PUT', path, { body: { addedReactions: [':one-more:'] } })
  }),
  line('E', 'a reaction of 900 KB', 400, /emoji/, react('x'.repeat(900_000))),
  line('E', 'a reaction of 2 MB', 413, /too large/, react('x'.repeat(2_000_000))),
  ...['', ' ', 'a b', 'x'.repeat(51), 'a\nb', '\u0007', 1, null, {}].map(emoji =>
    line('E', `the reaction ${JSON.stringify(emoji)}`, 400, /emoji|addedReactions/, react(emoji)),
  ),
  line('E', 'a reaction that is added and removed', 400, /one of them/, stage =>
    stage.call('PUT', one, { body: { addedReactions: ['👍'], removedReactions: ['👍'] } }),
  ),
  line('E', 'a reaction, 30 times at once', 200, 'it counts once', atOnce),
  ...['status', 'postedBy', 'replies', 'target', 'id', 'resolvedBy'].map(name =>
    line(
      'E12',
      `PUT of "${name}" of a comment`,
      400,
      new RegExp(name),
      call(`PUT ${one}`, { [name]: 'x' }),
    ),
  ),
  ...['{foreign_page}', '__proto__', 'x'.repeat(201), '', 5].map(page =>
    line('E10', `a comment on the page ${JSON.stringify(page).slice(0, 30)}`, 400, /page/, stage =>
      stage.call('POST', comments, {
        body: { ...said('x'), page: page === '{foreign_page}' ? stage.ids.foreign_page : page },
      }),
    ),
  ),
  line(
    'E',
    'a place in a page of 201 characters',
    400,
    /node/,
    post({ ...said('x'), node: 'n'.repeat(201) }),
  ),
  line(
    'E',
    'half a table cell',
    400,
    /tableCell/,
    post({ ...said('x'), tableCell: { record: 'r' } }),
  ),
  ...[
    ...['status=%27or1=1', 'status=', 'order=seq', 'format=html', 'targetPage=', 'authors='],
    ...[
      'limit=1001',
      'limit=-1',
      `targetPage=${'x'.repeat(10_000)}`,
      'format=markdown&format=document',
    ],
  ].map(query => line('E8', `comments?${query.slice(0, 40)}`, 400, /./, list(query))),
  line(
    'E11',
    '51 authors',
    400,
    /authors/,
    list(Array.from({ length: 51 }, (_, n) => `authors=a${n}`).join('&')),
  ),
  line(
    'E',
    'SQL text for an author and a page',
    200,
    /"count":0/,
    list('authors=%27or1=1--&targetPage=%25&status=open'),
  ),
  line(
    'E9',
    "a cursor of a change request's comments in the space",
    400,
    /page of this list/,
    cursor(`${inRequest}?limit=1`, `${comments}?`),
  ),
  line(
    'E9',
    'a cursor of open comments for all comments',
    400,
    /page of this list/,
    cursor(`${comments}?limit=1&status=open`, `${comments}?`),
  ),
  line(
    'E9',
    'a cursor of newest-first comments for oldest-first',
    400,
    /page of this list/,
    cursor(`${comments}?limit=1`, `${comments}?order=asc&`),
  ),
  line(
    'E9',
    'a cursor of one author for another',
    400,
    /page of this list/,
    cursor(`${comments}?limit=1&authors=admin`, `${comments}?authors=editor&`),
  ),
  line(
    'E9',
    "a cursor of another organization's comments",
    400,
    /page of this list/,
    cursor('/v1/spaces/{foreign_space}/comments?limit=1', `${comments}?`, 'stranger'),
  ),
  line(
    'E10',
    "a space's comment asked for in a change request",
    404,
    /comment/,
    call(`GET ${inRequest}/{comment}`),
  ),
  line('E10', "another comment's reply", 404, /reply/, async stage => {
    const { text } = await stage.call('POST', comments, { body: said('Other.') })
    return stage.call('GET', `${comments}/${JSON.parse(text).id}/replies/{reply}`)
  }),
  line('F4', 'a comment by a reader', 403, /comment/, post(said('x'), 'reader')),
  line('F4', "another's text, changed by an editor", 403, /./, stage =>
    by(stage, 'editor', 'PUT', said('Yours.')),
  ),
  line('F4', "another's comment, resolved by an editor", 403, /review/, stage =>
    by(stage, 'editor', 'PUT', { resolved: true }),
  ),
  line('F4', "another's comment, deleted by an editor", 403, /admin/, stage =>
    by(stage, 'editor', 'DELETE'),
  ),
  line('F3', "another's comment, by a stranger", 404, /./, stage =>
    by(stage, 'stranger', 'PUT', { resolved: true }),
  ),
  line('L3', '60 comments by a script that may post 20 an hour', 429, /within an hour/, byScript),
]
