import { api } from '../../../../src/api/routes.ts'
import { call, type Line, line, must, type Seen } from '../../line.ts'
import { bodyFor, fillRoute, parametersOf } from '../../routes.ts'
import type { Stage } from '../../stage.ts'

const list = 'GET /v1/orgs/acme/spaces'
const old = '0123456789abcdef0123456789abcdef01234567'

/**
 * Puts a value in every path parameter of every operation, one at a time; all answers have to be
 * one of `right`. Returns the last one.
 */
const everywhere =
  (value: (parameter: string) => string | undefined, right: number[]) => async (stage: Stage) => {
    const wrong: string[] = []
    let last: Seen = { status: 'none', text: '' }
    for (const key of Object.keys(api)) {
      const [method = '', path = ''] = key.split(' ')
      for (const parameter of parametersOf(path)) {
        const hostile = value(parameter)
        if (hostile === undefined) continue
        const filled = fillRoute(path, stage.ids, { [parameter]: hostile })
        // The revision of a space is looked up after the words are read.
        const words = path.endsWith('/:revisionId/search') ? '?query=x' : ''
        const seen = await stage.call(
          method,
          filled + words,
          method === 'GET' ? {} : { body: bodyFor(path) },
        )

        // A missing resource counts as deleted.
        if (method === 'DELETE' && seen.status === 204) continue

        // The list that is read before signing in is empty for an unknown organization.
        if (path.endsWith('/sso') && seen.text === '{"items":[]}') continue
        if (!right.includes(Number(seen.status)))
          wrong.push(`${method} ${filled.slice(0, 120)} ${seen.status} ${seen.text.slice(0, 150)}`)
        last = seen
      }
    }

    must(wrong.length === 0, `${wrong.length} otherwise answered: ${wrong.slice(0, 5).join(', ')}`)

    return last
  }

const hostileIds: [what: string, value: string][] = [
  ['../', '..%2f..%2f..%2fetc%2fpasswd'],
  ['%2e%2e', '%2e%2e%2f'],
  ['%00', 'a%00b'],
  ['10 KB', 'x'.repeat(10_000)],
  ['SQL text', "'%20or%201=1;--"],
  ['a number that overflows', '99999999999999999999999'],
  ['-1', '-1'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['hasOwnProperty', 'hasOwnProperty'],
  ['bytes that are not UTF-8', '%ff%fe'],
  ['a lone surrogate', '%ed%a0%80'],
  ['a line end', 'a%0d%0aX-Evil:%201'],
  ['markup', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  ['--upload-pack', '--upload-pack=x'],
]

/** Resources that have to exist unless an authorized user deleted them. */
const things = [
  'spaces/{space}',
  'collections/{collection}',
  'spaces/{space}/comments/{comment}',
  'orgs/ORG/teams/{team}',
  'orgs/ORG/webhooks/{webhook}',
  'orgs/ORG/link-invites/{invite}',
  'orgs/ORG/sites/{site}',
]

const foreign: Record<string, string> = {
  organizationId: 'globex',
  spaceId: 'foreign_space',
  collectionId: 'foreign_collection',
  changeRequestId: 'foreign_changeRequest',
  pageId: 'foreign_page',
  fileId: 'foreign_file',
  revisionId: 'foreign_revision',
  userId: 'stranger',
  commentId: 'foreign_comment',
  commentReplyId: 'foreign_reply',
  teamId: 'foreign_team',
  inviteId: 'foreign_invite',
  reviewId: 'foreign_review',
  webhookId: 'foreign_webhook',
  deliveryId: 'foreign_delivery',
  eventId: 'foreign_event',
  siteId: 'foreign_site',
  siteSectionId: 'foreign_siteSection',
  siteSectionGroupId: 'foreign_siteSectionGroup',
  siteSpaceId: 'foreign_siteSpace',
  shareLinkId: 'foreign_shareLink',
  siteRedirectId: 'foreign_siteRedirect',
}

/** Sends the cursor of one list to another. */
const cursorElsewhere =
  (from: string, to: string, as = 'admin') =>
  async (stage: Stage): Promise<Seen> => {
    const { text } = await stage.call('GET', from, { as })
    const { next } = JSON.parse(text) as { next?: { page: string } }
    must(next, `${from} gives no cursor`)
    return stage.call(
      'GET',
      `${to}${to.includes('?') ? '&' : '?'}page=${encodeURIComponent(next.page)}`,
    )
  }

const cursorEdited =
  (edit: (page: string) => string) =>
  async (stage: Stage): Promise<Seen> => {
    await stage.space()
    const { text } = await stage.call('GET', '/v1/orgs/acme/spaces?limit=1')
    const page = edit(JSON.parse(text).next.page)
    return stage.call('GET', `/v1/orgs/acme/spaces?limit=1&page=${encodeURIComponent(page)}`)
  }

const revisions = [
  'main',
  'HEAD',
  'main%40%7B1%20day%20ago%7D',
  ':%2Fx',
  'main%5E%7B%2F.*%7D',
  '--all',
  '-n1',
  old.slice(0, 10),
  `${old}0`,
  old.toUpperCase(),
  old,
]

const key = (stage: Stage, value: string, title: string) =>
  stage.call('POST', '/v1/orgs/acme/spaces', {
    body: { title },
    headers: { 'idempotency-key': value },
  })

const twoAtOnce = async (stage: Stage): Promise<Seen> => {
  const [a, b] = await Promise.all([
    key(stage, 'hostile-pair', 'Pair'),
    key(stage, 'hostile-pair', 'Pair'),
  ])
  must(a.text === b.text, 'the two answers differ')
  return a
}

export const ids: Line[] = [
  ...['-1', '0', '1001', '1e9', 'abc', '1.5', '', '%00', '10&limit=20', '5%205'].map(value =>
    line('E8', `limit=${value}`, 400, /limit/, call(`${list}?limit=${value}`)),
  ),
  line('E8', 'limit[]=5, which is ignored', 200, /"items"/, call(`${list}?limit[]=5`)),
  line('E8', '__proto__[x]=1, which is ignored', 200, /"items"/, call(`${list}?__proto__[x]=1`)),
  line(
    'E8',
    '2,000 parameters, which are ignored',
    200,
    /"items"/,
    call(`${list}?${Array.from({ length: 2000 }, (_, i) => `a${i}=`).join('&')}`),
  ),
  line('E8', 'a query that is not UTF-8', 400, /./, call(`${list}?page=%ff%fe`)),
  line(
    'E9',
    'an edited cursor',
    400,
    /page of this list/,
    cursorEdited(page => `x${page}`),
  ),
  line(
    'E9',
    'a cursor without its signature',
    400,
    /page of this list/,
    cursorEdited(page => page.split('.')[0] ?? ''),
  ),
  line(
    'E9',
    'a cursor of 10 KB',
    400,
    /page/,
    cursorEdited(() => 'x'.repeat(10_000)),
  ),
  line(
    'E9',
    'a cursor of another list',
    400,
    /page of this list/,
    cursorElsewhere('/v1/user/tokens?limit=1', '/v1/orgs/acme/spaces'),
  ),
  line(
    'E9',
    'a cursor of another space',
    400,
    /page of this list/,
    cursorElsewhere(
      '/v1/spaces/{foreign_space}/revisions?limit=1',
      '/v1/spaces/{space}/revisions',
      'stranger',
    ),
  ),
  line(
    'E9',
    'a cursor of another filter',
    400,
    /page/,
    cursorElsewhere(
      '/v1/spaces/{space}/revisions?limit=1',
      '/v1/spaces/{space}/revisions?path=README.md',
    ),
  ),
  ...hostileIds.map(([what, value]) =>
    line(
      'E10',
      `${what} in each parameter of each operation`,
      '400|404',
      'nowhere anything else',
      everywhere(() => value, [400, 404]),
    ),
  ),
  line(
    'F3',
    'an id of another organization in each parameter of each operation',
    404,
    'nowhere anything else',
    async stage => {
      const at = (parameter: string) => {
        const name = foreign[parameter]
        return name && (stage.ids[name] ?? name)
      }
      const last = await everywhere(at, [404])(stage)
      for (const [whose, prefix, organization] of [
        ['stranger', 'foreign_', 'globex'],
        ['admin', '', 'acme'],
      ] as const)
        for (const path of things) {
          const there = path.replaceAll('{', `{${prefix}`).replace('ORG', organization)
          const { status } = await stage.call('GET', `/v1/${there}`, { as: whose })
          must(status === 200, `${there} is gone`)
        }

      return last
    },
  ),
  ...revisions.map(revision =>
    line(
      'A23',
      `the revision "${decodeURIComponent(revision)}"`,
      '400|404',
      /revision/,
      call(`GET /v1/spaces/{space}/revisions/${revision}`),
    ),
  ),
  line(
    'A24',
    'a revision of another space',
    404,
    /revision/,
    call('GET /v1/spaces/{space}/revisions/{foreign_revision}'),
  ),
  line(
    'E11',
    'an unknown filter, which is ignored',
    200,
    /"items"/,
    call(`${list}?passwordHash=x`),
  ),
  line(
    'E11',
    'an unknown status',
    400,
    /status/,
    call('GET /v1/spaces/{space}/change-requests?status=%27or1=1'),
  ),
  line(
    'E13',
    'If-Match with an old revision',
    412,
    /./,
    call(
      'POST /v1/spaces/{space}/content',
      { changes: [{ operation: 'insert_group', title: 'G' }] },
      { headers: { 'if-match': `"${old}"` } },
    ),
  ),
  line(
    'E13',
    'a malformed If-Match',
    '400|412',
    /./,
    call(
      'POST /v1/spaces/{space}/content',
      { changes: [{ operation: 'insert_group', title: 'G' }] },
      { headers: { 'if-match': '"' } },
    ),
  ),
  line('E14', 'an Idempotency-Key with another body', 409, /new key/, async stage => {
    await key(stage, 'hostile-key', 'One')
    return key(stage, 'hostile-key', 'Two')
  }),
  line('E14', 'an Idempotency-Key twice at once', 201, 'one effect', twoAtOnce),
  line('E14', 'an Idempotency-Key of 10 KB', 400, /Idempotency-Key/, stage =>
    key(stage, 'k'.repeat(10_000), 'x'),
  ),
]
