import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

const submodule = (...lines: string[]) => `[submodule "a"]\n${lines.map(line => `\t${line}\n`).join('')}`

/** Files that are refused whatever way they come, and why. */
const refused: [path: string, content: string, why: RegExp][] = [
  ['.gitmodules', submodule('path = a', 'url = -u./payload'), /gitmodulesUrl/],
  ['.gitmodules', submodule('path = -a', 'url = https://x.test/a'), /gitmodulesPath/],
  ['.gitmodules', submodule('path = a', 'url = https://x.test/a', 'update = !id'), /gitmodulesUpdate/],
  ['.gitmodules', '[submodule "../a"]\n\tpath = a\n\turl = https://x.test/a\n', /gitmodulesName/],
  ['.gitattributes', `${'a'.repeat(3000)} text\n`, /gitattributesLineLength/],
  ['\u202e.md', 'x', /invisible character \(U\+202E\)/],
  ['\u0430.md', 'x', /looks like "/],
]
const taken: [path: string, content: string][] = [
  ['.gitmodules', submodule('path = a', 'url = https://x.test/a')],
  ['.gitattributes', '*.md text\n'],
  ['\u043c\u0438\u0440.md', 'x'],
]

const idOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

/** Imports two files as a folder into a new space. Returns the answer. */
async function byFolder(path: string, content: string) {
  const files = { 'a.md': 'A', [path]: content }
  const entries = Object.entries(files).map(([name, text]) => [name, `100644 ${idOf(text)}`])
  const contents = Object.values(files).map(text => Buffer.from(text).toString('base64'))
  const body = { files: Object.fromEntries(entries), contents, force: true }
  const { status, text } = await bench.app.admin.post(
    `/v1/spaces/${await bench.untouched()}/git/folder`,
    body,
  )
  return { ok: status === 200, text: JSON.parse(text).error?.message ?? '' }
}

/** Pushes two files to a branch of a new space. Returns what Git tells. */
async function byPush(branch: string, path: string, content: string) {
  const clone = await bench.clone(await bench.space())
  await bench.commit(clone, { 'a.md': 'A', [path]: content })
  const pushed = await bench.push(clone, 'origin', `HEAD:${branch}`)
  return { ok: pushed.code === 0, text: told(pushed).join('\n') }
}

const ways: [name: string, way: (path: string, content: string) => Promise<{ ok: boolean; text: string }>][] =
  [
    ['an import of a folder', byFolder],
    ['a push to main', (path, content) => byPush('main', path, content)],
    ['a push for review', (path, content) => byPush('refs/for/main', path, content)],
  ]

test('every way refuses the files that no content may hold, and takes the others', async () => {
  for (const [name, way] of ways) {
    for (const [path, content, rule] of refused) {
      const { ok, text } = await way(path, content)
      const isSettings = way === byFolder && path.startsWith('.git')
      const why = isSettings ? /pushed with Git|which Git refuses/ : rule
      assert.not.ok(ok, `${name}: ${path} ${why}`)
      assert.match(text, why, `${name}: ${path} ${text}`)
    }
    for (const [path, content] of taken) {
      if (way === byFolder && path === '.gitmodules') continue
      const { ok, text } = await way(path, content)
      assert.ok(ok, `${name}: ${path}: ${text}`)
    }
  }
})

test.run()
