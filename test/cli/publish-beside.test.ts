import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSource } from '../../src/cli/source/read-source.ts'
import { watchFolder } from '../../src/cli/source/watch-folder.ts'

const top = mkdtempSync(join(tmpdir(), 'stemma-beside-'))
test.after(() => rmSync(top, { recursive: true, force: true }))

/** Creates a project with these files, and returns its folder and what is read of `docs` in it. */
function project(name: string, files: Record<string, string>) {
  const root = join(top, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }

  const source = openSource(join(root, 'docs'))
  const read = async () => {
    const { files, project, also } = await source.read()
    return { paths: [...files.keys()], ...project, also }
  }

  return { root, read, source }
}

const docusaurus = { 'docs/a.md': '# A\n', 'docusaurus.config.js': '' }
const mkdocs = { 'docs/a.md': '# A\n' }
const settings = 'site_name: Acme\nnav:\n  - A: a.md\n'
const code = 'docusaurus.config.js is code: its sidebar was not read'

test('symbolic links beside the folder lead nowhere', async () => {
  const outside = project('outside', { 'docs/secret.txt': 'secret', 'mkdocs.yml': settings })
  const linked = project('linked', docusaurus)
  symlinkSync(join(outside.root, 'docs'), join(linked.root, 'static'))
  const { paths, findings } = await linked.read()
  assert.equal(paths, ['a.md'])
  assert.equal(findings, [code, 'static beside the folder was left out: it is a symbolic link'])

  const other = project('linked-settings', mkdocs)
  symlinkSync(join(outside.root, 'mkdocs.yml'), join(other.root, 'mkdocs.yml'))
  const found = await other.read()
  assert.equal(found.paths, ['a.md'])
  assert.is(found.title, undefined)
  assert.equal(found.findings, ['mkdocs.yml beside the folder was left out: it is a symbolic link'])
})

test('what Git ignores beside the folder is left out', async () => {
  const files = { ...mkdocs, 'mkdocs.yml': settings, '.gitignore': 'mkdocs.yml\n' }
  const { root, read } = project('ignored', files)
  execFileSync('git', ['init', '-q', root])
  const { paths, findings } = await read()
  assert.equal(paths, ['a.md'])
  assert.equal(findings, ['mkdocs.yml beside the folder was left out: Git ignores it'])
})

test('a file beside the folder that is too large does not stop the folder', async () => {
  const { root, read } = project('large', {
    ...docusaurus,
    'static/img.svg': '<svg/>',
    'static/video.mp4': '',
  })
  truncateSync(join(root, 'static/video.mp4'), 20_000_000)
  const { paths, findings } = await read()
  assert.equal(paths, ['a.md', 'static/img.svg'])
  assert.is(findings[0], code)
  assert.match(findings[1]!, /^static\/video\.mp4 beside the folder was left out: it has 20 MB/)
})

test('a folder without files is refused, whatever lies beside it', async () => {
  const { root, source } = project('empty', { 'mkdocs.yml': settings })
  mkdirSync(join(root, 'docs'))
  const refusal = await source.read().then(
    () => '',
    error => String(error),
  )
  assert.match(refusal, /There is nothing to publish/)
})

test('what lies beside the folder may come and go', async () => {
  const { root, read } = project('goes', { ...docusaurus, 'static/a.txt': '' })
  assert.equal((await read()).also, [join(root, 'static/')])
  rmSync(join(root, 'static'), { recursive: true })
  assert.equal((await read()).paths, ['a.md'])
  mkdirSync(join(root, 'static'))
  writeFileSync(join(root, 'static/b.txt'), '')
  assert.equal((await read()).paths, ['a.md', 'static/b.txt'])
})

test('settings and folders that appear beside the folder later are seen', async () => {
  const { root, read, source } = project('later', mkdocs)
  assert.is((await read()).title, undefined)
  const watch = await watchFolder(join(root, 'docs'), source.watched)

  try {
    writeFileSync(join(root, 'mkdocs.yml'), settings)
    assert.ok(await watch.changed())
    assert.is((await read()).title, 'Acme')
    rmSync(join(root, 'mkdocs.yml'))
    assert.ok(await watch.changed())
    assert.is((await read()).title, undefined)

    writeFileSync(join(root, 'docusaurus.config.js'), '')
    assert.ok(await watch.changed())
    await read()
    mkdirSync(join(root, 'static'))
    assert.ok(await watch.changed())
    await read()
    writeFileSync(join(root, 'static/a.txt'), '')
    assert.ok(await watch.changed())
    assert.equal((await read()).paths, ['a.md', 'static/a.txt'])
  } finally {
    watch.end()
  }
})

test.run()
