import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'
import { gitOutside } from '../../support/git/repo.ts'

let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

/** Serves the files of repositories as a plain web server does. */
const servesFiles = (folder: string): SyncBench['host']['mode'] => {
  return (request, response) => {
    const file = join(folder, new URL(request.url ?? '/', 'http://host').pathname)
    if (statSync(file, { throwIfNoEntry: false })?.isFile())
      createReadStream(file).pipe(response.writeHead(200, { 'content-type': 'text/plain' }))
    else response.writeHead(404).end()
    return false
  }
}

for (const [title, packed] of [
  ['loose objects', false],
  ['a pack', true],
] as const)
  test(`a server of plain files with ${title} is refused with the reason`, async () => {
    const name = `dumb-${packed}`
    const dir = bench.remote(name, { 'README.md': '# Hi\n' })
    if (packed) gitOutside(dir, ['repack', '-adq'])
    gitOutside(dir, ['update-server-info'])
    bench.host.mode = servesFiles(bench.folder)
    const remote = { url: `${bench.host.origin}/${name}.git`, ref: 'refs/heads/main' }
    const space = await bench.space()
    const head = bench.git(space, 'rev-parse', 'HEAD')

    for (const [direction, more] of [
      ['import', {}],
      ['export', { commitMessage: 'Publish', force: true }],
    ] as const) {
      const operation = await bench.sync(direction, space, { ...remote, ...more })
      assert.is(operation.state, 'failure')
      assert.match(operation.error, /does not speak Git's smart HTTP protocol/)
    }

    assert.is(bench.git(space, 'rev-parse', 'HEAD'), head)
    bench.host.mode = 'serve'
  })

test.run()
