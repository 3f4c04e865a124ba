import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerMode } from '../../../support/git/git-server.ts'
import { importOf } from '../../import.ts'
import { type Line, line, must } from '../../line.ts'
import { file, makeRepository } from '../../objects.ts'
import { plantedPassword, type Stage } from '../../stage.ts'

let made = 0

/** Imports from a host with invalid answers. */
const answering =
  (mode: (stage: Stage) => ServerMode, asked = 2) =>
  async (stage: Stage) => {
    const name = `remote-${made++}`
    const repo = makeRepository(stage.folder, name)
    repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
    const space = await stage.space()
    const before = stage.host.requests.length

    stage.host.mode = mode(stage)
    const done = await importOf(stage, name, { space }).finally(() => {
      stage.host.mode = 'serve'
    })
    const requests = stage.host.requests.length - before

    must(requests <= asked, `the host was asked ${requests} times`)
    must(!done.text.includes('internal-secret'), 'what the host said is shown')

    return done
  }

/** Imports with a password in the URL. The end of the run verifies that it is stored nowhere. */
const withPassword = (user: string, password: string) => async (stage: Stage) => {
  const name = `password-${made++}`
  const repo = makeRepository(stage.folder, name)
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  const url = `http://${user}${password && `:${password}`}@127.0.0.1:${stage.host.port}/${name}.git`
  const done = await importOf(stage, name, { url })
  const info = await stage.call('GET', `/v1/spaces/${done.space}/git/info`)
  const operations = await stage.call('GET', `/v1/spaces/${done.space}/git/operations`)
  const said = done.text + info.text + operations.text

  must(!said.includes(plantedPassword), 'an answer holds the password')
  const heard = stage.host.requests.filter(request => request.url.includes(name))

  must(
    heard.some(({ authorization }) => authorization?.startsWith('Basic ')),
    'the host was not given it',
  )

  return done
}

/** Refs other than branches, with problematic names. */
const oddRefs = async (stage: Stage) => {
  const name = `refs-${made++}`
  const repo = makeRepository(stage.folder, name)
  const oid = repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  const refs = [
    ...['heads/HEAD', 'heads/-x', `replace/${oid}`, 'notes/commits', `heads/${'x'.repeat(200)}`],
    ...[
      'heads/__proto__/corsProxy',
      'stemma/identity',
      'keep/x',
      'heads/change-requests/1',
      'tags/v1',
    ],
  ]

  for (const ref of refs) {
    mkdirSync(join(repo.dir, 'refs', ref, '..'), { recursive: true })
    writeFileSync(join(repo.dir, 'refs', ref), `${oid}\n`)
  }

  const done = await importOf(stage, name)

  must(({} as { corsProxy?: unknown }).corsProxy === undefined, 'the prototype has changed')
  const { text } = await stage.call('GET', `/v1/spaces/${done.space}/change-requests`)

  must(JSON.parse(text).items.length === 0, 'a branch has become a change request')

  return done
}

const twoAtOnce = async (stage: Stage) => {
  const name = `pair-${made++}`
  const repo = makeRepository(stage.folder, name)
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  const space = await stage.space()
  const [a, b] = await Promise.all([
    importOf(stage, name, { space }),
    importOf(stage, name, { space }),
  ])

  must(a.status === b.status || b.status === 409, `${a.status} and ${b.status}: ${b.text}`)

  return a
}

const address = (url: string) => async (stage: Stage) =>
  stage.call('POST', '/v1/spaces/{space}/git/import', { body: { url, ref: 'refs/heads/main' } })

const status = (code: number, body: string, type?: string) => () => ({
  status: code,
  body,
  ...(type && { type }),
})
const packet = 'application/x-git-upload-pack-advertisement'

export const remotes: Line[] = [
  line(
    'A9',
    'a host that redirects to a private address',
    'failure',
    /redirects/,
    answering(({ host }) => ({ redirect: `${host.origin}/elsewhere` }), 1),
  ),
  line(
    'A10',
    'a host that speaks the old protocol, with alternates',
    'failure',
    /./,
    answering(status(200, 'x'), 3),
  ),
  line(
    'A17',
    'a host that always answers 401',
    'failure',
    /credentials/,
    answering(status(401, 'internal-secret')),
  ),
  line(
    'A17',
    'a host that answers 404 with a secret',
    'failure',
    /no repository/,
    answering(status(404, 'internal-secret')),
  ),
  line(
    'A17',
    'a host that answers 500 with a secret',
    'failure',
    /./,
    answering(status(500, 'internal-secret')),
  ),
  line(
    'A17',
    'a host that answers HTML',
    'failure',
    /./,
    answering(status(200, '<html>internal-secret</html>', 'text/html'), 3),
  ),
  line(
    'A17',
    'a host that answers 20 MB of zeros',
    'failure',
    /./,
    answering(status(200, '0'.repeat(20_000_000), packet), 3),
  ),
  line(
    'A16',
    'a host with 20,000 more branches',
    'failure|success',
    /./,
    answering(() => ({ status: 200, body: endlessRefs(), type: packet }), 3),
  ),
  line(
    'A16',
    'a host that sends nothing after its headers',
    'failure',
    /too long/,
    answering(() => 'silent'),
    { slow: true },
  ),
  line(
    'A12',
    'a password in the URL',
    'success',
    'it is nowhere afterwards',
    withPassword('user', plantedPassword),
  ),
  line(
    'A13',
    'a token in place of the user',
    'success',
    'it is nowhere afterwards',
    withPassword(plantedPassword, ''),
  ),
  line(
    'A14',
    'a password with a line end',
    400,
    /not valid/,
    address('http://a:b%0d%0aX-Evil:1@127.0.0.1/x'),
  ),
  line(
    'A14',
    'a password of 10 KB',
    400,
    /url/,
    address(`http://a:${'x'.repeat(10_000)}@127.0.0.1/x`),
  ),
  line(
    'A15',
    '"/.proxy=http://evil" after a user name',
    '204|400',
    'no proxy is used',
    address('http://user@127.0.0.1:1/.proxy=http://evil'),
  ),
  line('A19', 'a host with refs of odd names', 'success', 'only the one branch is taken', oddRefs),
  line('A26', 'two imports at once into a space', 'success', 'both end well', twoAtOnce),
]

/** An advertisement of many branches. */
function endlessRefs(): string {
  const pkt = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
  const lines = Array.from({ length: 20_000 }, (_, i) =>
    pkt(`${'1'.repeat(40)} refs/heads/b${i}\n`),
  )
  return `${pkt('# service=git-upload-pack\n')}0000${pkt(`${'1'.repeat(40)} HEAD\0 symref=HEAD:refs/heads/b1\n`)}${lines.join('')}0000`
}
