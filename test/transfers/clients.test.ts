import fs from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import git from 'isomorphic-git'
import http from 'isomorphic-git/http/node'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { type GitClient, openClient, remoteOf, run } from '../support/git/client.ts'
import { skip } from '../support/skip.ts'

let app: App
let client: GitClient
let address = ''
let remote = ''
let head = ''

test.before(async () => {
  app = await startApp()
  client = await openClient()
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  address = body.urls.git
  remote = remoteOf(app.url, body.id, app.admin.token)
  const change = { operation: 'insert_page', title: 'Second', document: { markdown: 'Text.' } }
  head = (await app.admin.post(`/v1/spaces/${body.id}/content`, { changes: [change] })).body
    .revision
})
test.after(async () => {
  await client.remove()
  await app.stop()
})

test('isomorphic-git clones, and is refused with a wrong token', async () => {
  const dir = join(client.folder, 'isomorphic')
  const onAuth = () => ({ username: 'x', password: app.admin.token })
  await git.clone({ fs, http, dir, url: address, onAuth })
  assert.is(await git.resolveRef({ fs, dir, ref: 'HEAD' }), head)
  assert.ok(fs.existsSync(join(dir, 'second.md')))
  const shallow = join(client.folder, 'isomorphic-shallow')

  await git.clone({ fs, http, dir: shallow, url: address, onAuth, depth: 1, singleBranch: true })
  assert.is((await git.log({ fs, dir: shallow })).length, 1)
  const refs = await git.listServerRefs({
    http,
    url: address,
    onAuth,
    protocolVersion: 2,
    symrefs: true,
  })

  assert.equal(
    refs.map(({ ref }) => ref),
    ['HEAD', 'refs/heads/main'],
  )

  const wrong = await git
    .listServerRefs({
      http,
      url: address,
      onAuth: () => ({ username: 'x', password: 'wrong' }),
      onAuthFailure: () => ({ cancel: true }),
    })
    .then(() => undefined, String)

  assert.match(wrong ?? '', /UserCanceledError|HTTP Error: 401/)
})

/** Creates a space with a page that a client works on. Returns its id, its address and its head. */
async function makeSpace(title: string): Promise<{ id: string; address: string; head: string }> {
  const space = (await app.admin.post('/v1/orgs/acme/spaces', { title })).body
  const change = { operation: 'insert_page', title: 'First', document: { markdown: 'Text.' } }
  const { body } = await app.admin.post(`/v1/spaces/${space.id}/content`, { changes: [change] })
  return { id: space.id, address: space.urls.git, head: body.revision }
}

/** The commits that a client pushed, and the words that it was refused with. */
type Told = { pushed: string; proposed: string; branched: string; tag: string; token: string }

/**
 * Checks what a client pushed to main, refs/for/main and a new branch, and that it was refused a
 * tag and a wrong token.
 */
async function checkPushed(spaceId: string, told: Told, unauthorized: RegExp): Promise<void> {
  const refs = await client.ok([
    'ls-remote',
    remoteOf(app.url, spaceId, app.admin.token),
    'refs/heads/*',
  ])

  const expected = [
    `${told.pushed}\trefs/heads/main`,
    `${told.proposed}\trefs/heads/change-requests/1`,
    `${told.branched}\trefs/heads/change-requests/2`,
    `${told.branched}\trefs/heads/topic`,
  ]

  assert.equal(refs.split('\n').sort(), expected.sort())
  assert.match(told.tag, /tags are not taken here/)
  assert.match(told.token, unauthorized)
}

test('isomorphic-git pushes and proposes, and is refused a tag and a wrong token', async () => {
  const space = await makeSpace('From isomorphic-git')
  const dir = join(client.folder, 'isomorphic-push')
  const onAuth = () => ({ username: 'x', password: app.admin.token })
  await git.clone({ fs, http, dir, url: space.address, onAuth })
  const commit = async (filepath: string) => {
    fs.writeFileSync(join(dir, filepath), `# ${filepath}\n`)
    await git.add({ fs, dir, filepath })
    return git.commit({
      fs,
      dir,
      message: `Add ${filepath}`,
      author: { name: 'Iso', email: 'iso@example.org' },
    })
  }

  const push = async (remoteRef: string, ref = 'main', login = onAuth) =>
    git
      .push({
        fs,
        http,
        dir,
        url: space.address,
        ref,
        remoteRef,
        onAuth: login,
        onAuthFailure: cancelled,
      })
      .then(({ ok }) => String(ok), String)
  const cancelled = () => ({ cancel: true })
  const told: Told = { pushed: '', proposed: '', branched: '', tag: '', token: '' }

  for (const [step, ref] of [
    ['pushed', 'refs/heads/main'],
    ['proposed', 'refs/for/main'],
    ['branched', 'refs/heads/topic'],
  ] as const) {
    told[step] = await commit(`${step}.md`)
    assert.is(await push(ref), 'true', ref)
  }

  await git.tag({ fs, dir, ref: 'v1' })
  told.tag = await push('refs/tags/v1', 'v1')
  told.token = await push('refs/heads/main', 'main', () => ({ username: 'x', password: 'wrong' }))
  await checkPushed(space.id, told, /UserCanceledError|HTTP Error: 401/)
})

/** The python of the system, for which Debian packages libraries. */
const python = '/usr/bin/python3'

for (const [name, library, unauthorized] of [
  ['libgit2', 'pygit2', /authentication|401/i],
  ['dulwich', 'dulwich', /Unauthorized/i],
] as const)
  test(`${name} clones, pushes and proposes, and is refused a tag and a wrong token`, async () => {
    const program = fileURLToPath(new URL(`./${name}-client.py`, import.meta.url))
    const space = await makeSpace(`From ${name}`)
    const args = [program, space.address, app.admin.token, join(client.folder, name)]
    const ended = await run(python, args, client.folder, { HOME: client.folder }).catch(
      () => undefined,
    )
    if (!ended || /ModuleNotFoundError/.test(ended.stderr))
      return skip(`python3-${library} is not installed`)
    assert.is(ended.code, 0, ended.stderr)
    const said = Object.fromEntries(
      ended.stdout
        .trimEnd()
        .split('\n')
        .map(line => /^(\w+):? (.*)$/.exec(line)?.slice(1) ?? []),
    )

    assert.is(said.cloned, space.head)
    await checkPushed(space.id, said, unauthorized)
  })

/** Where Debian puts the sources of packages for Go. */
const goPath = '/usr/share/gocode'

/** Builds the client of go-git; undefined where Go or the package is missing. */
async function buildGoClient(): Promise<string | undefined> {
  const hasGo = await run('go', ['version'], client.folder).catch(() => undefined)
  if (hasGo?.code !== 0 || !fs.existsSync(join(goPath, 'src/github.com/go-git/go-git')))
    return undefined
  const source = join(client.folder, 'go/src/client')
  fs.mkdirSync(source, { recursive: true })
  fs.copyFileSync(new URL('./go-git-client.go', import.meta.url), join(source, 'main.go'))

  // In a folder with this file alone, Go finds "go-git/v5" in a folder without "v5".
  fs.writeFileSync(join(source, 'go.mod'), 'module client\n')
  const built = join(client.folder, 'go-git-client')
  const { code, stderr } = await run('go', ['build', '-o', built, '.'], source, {
    GO111MODULE: 'off',
    GOPATH: `${join(client.folder, 'go')}:${goPath}`,
    // With its cache, which makes the second build fast.
    HOME: process.env.HOME ?? client.folder,
  })

  assert.is(code, 0, stderr)

  return built
}

test('go-git clones, pushes and proposes, and is refused a tag and a wrong token', async () => {
  const program = await buildGoClient()
  if (!program) return skip('golang-go and golang-github-go-git-go-git-dev are not installed')
  const space = await makeSpace('From Go')
  const args = [space.address, app.admin.token, join(client.folder, 'go-clone')]
  const { code, stdout, stderr } = await run(program, args, client.folder)

  assert.is(code, 0, stderr)
  const [cloned, pushed, proposed, tag, token] = stdout.split('\n')

  assert.is(cloned, `cloned ${space.head}`)
  const refs = await client.ok(['ls-remote', remoteOf(app.url, space.id, app.admin.token)])

  assert.match(refs, `${pushed?.replace('pushed ', '')}\trefs/heads/main`)
  assert.match(refs, `${proposed?.replace('proposed ', '')}\trefs/heads/change-requests/1`)
  assert.match(tag ?? '', /tags are not taken here/)
  assert.match(token ?? '', /authentication required/)
})

test('git bundles what it cloned, whole and sound', async () => {
  await client.ok(['clone', '-q', '--mirror', remote, 'mirror'])
  await client.ok(['fsck', '--strict', '--full'], { in: 'mirror' })
  assert.is(await client.ok(['rev-parse', 'main'], { in: 'mirror' }), head)
})

test.run()
