import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

const submodule = (...lines: string[]) =>
  `[submodule "a"]\n${lines.map(line => `\t${line}\n`).join('')}`

/** Settings of submodules that Git refuses, and the name of its rule. */
const refused: [content: string, why: RegExp][] = [
  [submodule('path = a', 'url = -u./payload'), /gitmodulesUrl/],
  [submodule('path = -a', 'url = https://x.test/a'), /gitmodulesPath/],
  [submodule('path = a', 'url = https://x.test/a', 'update = !id'), /gitmodulesUpdate/],
  ['[submodule "../a"]\n\tpath = a\n\turl = https://x.test/a\n', /gitmodulesName/],
]

// The table test/guards/files.txt tries every way in.
test('a push of a .gitmodules that Git refuses names the rule', async () => {
  const clone = await bench.clone(await bench.space())
  for (const [content, why] of refused) {
    await bench.commit(clone, { '.gitmodules': content })
    const pushed = await bench.push(clone, 'origin', 'HEAD:main')
    assert.is.not(pushed.code, 0)
    assert.match(told(pushed).join('\n'), why)
    await bench.client.ok(['reset', '-q', '--hard', 'origin/main'], { in: clone })
  }
})

test.run()
