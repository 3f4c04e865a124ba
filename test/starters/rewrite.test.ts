import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { stemmaHere } from '../cli/stemma.ts'
import { startApp } from '../support/app.ts'
import { parseTxtar } from '../support/txtar.ts'

const app = await startApp()
const top = mkdtempSync(join(tmpdir(), 'stemma-rewrite-'))
test.after(async () => {
  rmSync(top, { recursive: true, force: true })
  await app.stop()
})

const env = { STEMMA_URL: app.url, STEMMA_TOKEN: app.admin.token }

type Entry = { title: string; linkTitle?: string; path?: string; pages?: Entry[]; href?: string }

function unpack(name: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name, path)), { recursive: true })
    writeFileSync(join(top, name, path), text)
  }
  return join(top, name)
}

const starter = (tool: string): Record<string, string> =>
  parseTxtar(readFileSync(new URL(`${tool}.txtar`, import.meta.url), 'utf8')).files

async function stemma(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await stemmaHere(args, env)
  assert.is(code, 0, stderr)
  return stdout
}

/** Publishes a folder, and returns its list of pages and a reader of its pages. */
async function publish(folder: string, name: string) {
  const { site, space } = JSON.parse(
    await stemma('publish', folder, '--org', 'acme', '--json', '--site', name),
  )
  const { body } = await app.admin.get(`/v1/spaces/${space}/content/pages`)
  const entries: Entry[] = body.pages
  return {
    titles: titles(entries),
    paths: paths(entries),
    /** Returns the text of a page, wherever its address leads. */
    page: async (path: string): Promise<string> => {
      const reply = await fetch(site.urls.published + path)
      assert.is(reply.status, 200, path)
      const html = await reply.text()
      // A folder without a page of its own shows its title and what is below it.
      const [shown] = /<article[\s\S]*<\/article>/.exec(html) ?? /<h1[\s\S]*<\/h1>/.exec(html) ?? []
      assert.ok(shown, path)
      return shown.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    },
  }
}

const titles = (pages: readonly Entry[], indent = ''): string[] =>
  pages.flatMap(({ title, linkTitle, pages: below = [] }) => [
    indent + (linkTitle ?? title),
    ...titles(below, `${indent}  `),
  ])

const paths = (pages: readonly Entry[]): string[] =>
  pages.flatMap(({ path, pages: below = [] }) => [
    ...(path === undefined ? [] : [path]),
    ...paths(below),
  ])

for (const [tool, folder, gone] of [
  ['mkdocs', 'docs', ['mkdocs.yml']],
  ['mkdocs', '.', ['mkdocs.yml']],
  ['docusaurus', 'docs', ['sidebars.ts', 'static']],
  ['vitepress', 'docs', ['docs/.vitepress']],
  ['starlight', 'src/content/docs', ['astro.config.mjs', 'public']],
  ['mintlify', '.', ['docs.json']],
] as const)
  test(`${tool}, ${folder}: the same pages as before without the settings`, async () => {
    const name = folder === '.' ? `${tool}-all` : tool
    const project = unpack(name, starter(tool))
    const path = join(project, folder)
    const before = await publish(path, `${name}-before`)
    const { written } = JSON.parse(
      await stemma('publish', path, '--from', tool, '--write', '--json'),
    )
    assert.ok(written.includes('.gitbook.yaml'))

    for (const each of gone) rmSync(join(project, each), { recursive: true })
    const after = await publish(path, `${name}-after`)
    assert.equal(after.titles, before.titles)
    for (const each of before.paths) assert.is(await after.page(each), await before.page(each))
  })

const mkdocs = {
  'mkdocs.yml': 'nav:\n  - index.md\n  - Guides:\n      - a/one.md\n',
  'docs/index.md': '# Home\n',
  'docs/a/one.md': '# One\n',
}

/** Runs a command that is refused, and returns why. */
async function refused(...args: string[]): Promise<string> {
  const { code, stderr } = await stemmaHere(args, env)
  assert.is.not(code, 0)
  return stderr
}

test('a rewrite is refused without a tool, its settings or a clean work tree', async () => {
  const folder = unpack('refused', mkdocs)
  assert.match(await refused('publish', folder, '--write'), /"--from" mkdocs, mintlify, vitepress/)
  assert.match(await refused('publish', folder, '--from', 'x'), /mkdocs, mintlify, vitepress/)
  assert.match(
    await refused('publish', folder, '--from', 'starlight', '--write'),
    /no settings of starlight in .+ no astro\.config\.\*/,
  )

  execFileSync('git', ['init', '-q', folder])
  const rewrite = ['publish', folder, '--from', 'mkdocs', '--write']
  assert.match(await refused(...rewrite), /not committed.+--force/)
  assert.match(await stemma(...rewrite, '--force'), /Wrote .+SUMMARY\.md/)
  assert.is(
    readFileSync(join(folder, '.gitbook.yaml'), 'utf8'),
    'root: ./docs/\nstructure:\n  summary: SUMMARY.md\nredirects:\n  "a/one": "a/one.md"\n',
  )
  assert.match(await refused(...rewrite, '--force'), /has a SUMMARY\.md/)
})

test.run()
