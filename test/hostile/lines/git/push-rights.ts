import { randomBytes } from 'node:crypto'
import { type Crafted, craft, type Named, treeOf } from '../../../support/git/raw-commit.ts'
import { objectId } from '../../../support/git/raw-pack.ts'
import {
  beginPush,
  pushBody,
  type RawAnswer,
  type RawPush,
  sendPush,
} from '../../../support/git/raw-push.ts'
import { gitOutside } from '../../../support/git/repo.ts'
import { until } from '../../../support/until.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { repositoryOf } from '../storage.ts'
import { stagedIn, unstaged } from './pushes.ts'

type Target = {
  stage: Stage
  id: string
  path: string
  head: string
  git: (...args: string[]) => string
}

/** Creates a space to which "rita", a reader of the organization, and "gus", a guest, may push. */
async function makeTarget(stage: Stage): Promise<Target> {
  const id = await stage.space('Guarded')
  const path = `/v1/spaces/${id}`
  const given = await stage.call('POST', `${path}/permissions`, {
    body: { role: 'edit', users: ['rita', 'gus'] },
  })
  must(given.status === 204, given.text)
  const changes = [{ operation: 'insert_page', title: 'One', document: { markdown: 'One.' } }]

  await stage.call('POST', `${path}/content`, { body: { changes } })
  // A read waits until the folder has followed the edit.
  await stage.call('GET', `${path}/content`)
  const git = (...args: string[]) =>
    gitOutside(stage.folder, ['--git-dir', repositoryOf(stage, id), ...args])

  return { stage, id, path, head: git('rev-parse', 'refs/heads/main'), git }
}

const told = ({ status, report, said, text }: RawAnswer): Seen => ({
  status,
  text: report.length > 0 ? [...report, said].join('\n') : text,
})

/** Throws unless a refused push has left no folder, ref, row or object. */
async function nothingWritten({ stage, id, head, git }: Target, { to }: Crafted): Promise<void> {
  await unstaged(stage)
  must(git('for-each-ref', '--format=%(objectname)', 'refs/heads/') === head, 'a branch has moved')
  git('fsck', '--strict', '--no-dangling')
  must(!git('cat-file', '--batch-all-objects', '--batch-check').includes(to), 'the commit is kept')
  const events = await stage.call('GET', `/v1/orgs/acme/audit-events?space=${id}`)
  must(events.status === 200, events.text)
  must(!events.text.includes(to), 'an event names the commit')
}

type Meanwhile = (to: Target, pusher: { as: string; tokenId: string }) => Promise<Seen>

/**
 * A push by "rita" during which something happens, after the server has begun to receive its pack.
 */
const meanwhile =
  (happens: Meanwhile) =>
  async (stage: Stage): Promise<Seen> => {
    const to = await makeTarget(stage)
    const made = await stage.call('POST', '/v1/user/tokens', {
      as: 'rita',
      body: { name: 'pushing' },
    })

    must(made.status === 201, 'no token')
    const { id: tokenId, token } = JSON.parse(made.text) as { id: string; token: string }

    // Too large to be kept in memory, so that a folder tells that it has begun to come.
    const noise = randomBytes(300_000)
    const crafted = craft(
      [to.head],
      [treeOf([['100644', 'page.md', objectId('blob', noise)]])],
      [{ type: 'blob', content: noise }],
    )
    const command = { ref: 'refs/heads/main', from: to.head, to: crafted.to }
    const body = pushBody({ commands: [command], pack: crafted.pack })
    const sending = beginPush(stage.url, to.id, token)

    sending.write(body.subarray(0, -10))
    await until('the push is staged', () => (stagedIn(stage).length > 0 ? true : undefined))
    const { status, text } = await happens(to, { as: 'rita', tokenId })

    must(Number(status) < 300, `meanwhile: ${status} ${text}`)
    sending.write(body.subarray(-10))
    sending.end()
    const answer = await sending.answer

    await nothingWritten(to, crafted)

    return told(answer)
  }

const spec = '{% openapi-operation spec="secret" path="/pets" method="get" %}\n'

/**
 * A guest's push of a page that shows an OpenAPI description, which the same edit over HTTP is
 * refused for too.
 */
const showing =
  (ref: string) =>
  async (stage: Stage): Promise<Seen> => {
    const to = await makeTarget(stage)
    const text = Buffer.from(spec)
    const entry: Named = ['100644', 'one.md', objectId('blob', text)]
    const crafted = craft([to.head], [treeOf([entry])], [{ type: 'blob', content: text }])
    const from = ref === 'refs/heads/main' ? { from: to.head } : {}
    const push: RawPush = { commands: [{ ref, ...from, to: crafted.to }], pack: crafted.pack }
    const answer = await sendPush(stage.url, to.id, stage.tokens.gus ?? '', push)

    await nothingWritten(to, crafted)
    const changes = [{ operation: 'insert_page', title: 'Shown', document: { markdown: spec } }]
    const edit = await stage.call('POST', `${to.path}/content`, { as: 'gus', body: { changes } })

    must(edit.status === 403, `the edit: ${edit.status} ${edit.text}`)
    const [, sentence = ''] = /"message":"((?:[^"\\]|\\")+)\."/.exec(edit.text) ?? []
    const refused = told(answer)

    must(
      refused.text.includes(JSON.parse(`"${sentence}"`)),
      `the edit says: ${sentence}; ${refused.text}`,
    )

    return refused
  }

const refused = (words: string) => new RegExp(`^unpack ok\\nng refs/heads/main ${words}`)

/** Pushes of users who may no longer do what they began, or never might. */
export const pushRights: Line[] = [
  line(
    'GH32',
    'a role that ends while the pack comes',
    200,
    refused('This needs the role "edit" in the space; yours is "comment"'),
    meanwhile(({ stage, path }, { as }) =>
      stage.call('POST', `${path}/permissions`, { body: { role: 'comment', users: [as] } }),
    ),
  ),
  line(
    'GH32',
    'a token that is revoked while the pack comes',
    200,
    refused('The token cannot be used'),
    meanwhile(({ stage }, { as, tokenId }) =>
      stage.call('DELETE', `/v1/user/tokens/${tokenId}`, { as }),
    ),
  ),
  line(
    'GH32',
    'a space that is locked while the pack comes',
    200,
    refused('The space is locked: change it with a change request'),
    meanwhile(({ stage, path }) => stage.call('PATCH', path, { body: { editMode: 'locked' } })),
  ),
  line(
    'GH32',
    'a space that is deleted while the pack comes',
    200,
    refused('There is no space'),
    meanwhile(({ stage, path }) => stage.call('DELETE', path)),
  ),
  ...['refs/heads/main', 'refs/for/main', 'refs/heads/shown'].map(ref =>
    line(
      'GH36',
      `a guest's push to ${ref} of a page with an OpenAPI description`,
      200,
      /^unpack ok\nng \S+ You do not have access to the OpenAPI specs/,
      showing(ref),
    ),
  ),
]
