import { strict as assert } from 'node:assert'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrations } from '../../src/store/engine/postgres/driver.ts'
import { makeProgram, type Program } from '../crash/program.ts'
import { until } from '../support/until.ts'
import type { Node } from './node.ts'
import type { World } from './world.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Tables that nodes write to all the time. */
const tables = ['space', 'comment', 'change_request', 'ref']

/** Makes a program of the same sources with one more step of the schema, which adds columns. */
async function makeNext(folder: string, version: number): Promise<Program> {
  const copy = join(folder, `version-${version}`)
  mkdirSync(copy)
  const own = ['src', 'bin', 'test']
  for (const name of readdirSync(root))
    if (!own.includes(name)) symlinkSync(join(root, name), join(copy, name))
  for (const name of ['src', 'bin', 'test/crash/standby.ts'])
    await cp(join(root, name), join(copy, name), { recursive: true })
  const sql = tables.map(table => `alter table ${table} add column next_${version} text;`)
  const number = String(version).padStart(4, '0')
  writeFileSync(
    join(copy, `src/store/engine/postgres/migrations/${number}-next.sql`),
    sql.join('\n'),
  )
  return makeProgram(copy)
}

/**
 * Replaces one node after the other by a version with a newer schema, while the other one serves. Ends
 * when both versions have written to it.
 */
export async function upgrade(world: World, turn: number): Promise<() => Promise<void>> {
  const { nodes, folder } = world
  const [first, second] = turn % 2 === 0 ? nodes : nodes.toReversed()
  const former = second!.program
  const version = migrations().at(-1)!.version + turn + 1
  const next = await makeNext(folder, version)
  const replace = async (node: Node) => {
    await node.stop()
    node.program = next
    await node.start()
  }
  await replace(first!)
  const since = performance.now()
  await until('both versions write', () => {
    const isBy = ({ name }: Node) =>
      world.written.some(({ node, begun }) => node === name && begun > since)
    return nodes.every(isBy) || undefined
  })
  return async () => {
    await replace(second!)
    const { code, said } = await second!.run(former, ['verify'])
    assert.notEqual(code, 0)
    assert.match(said, new RegExp(`has schema ${version}`))
  }
}
