import * as assert from 'uvu/assert'
import { openBench, putAdmins } from '../postgres/bench.ts'
import { startNodes } from '../postgres/nodes.ts'
import { findStale } from '../postgres/stale.ts'
import { readOptions } from '../support/read-options.ts'

/** How many organizations are written and read side by side. */
const lanes = 8
/** One of so many pairs goes over HTTP. */
const share = 20

/** Compares reads at one node with the writes that the other one has acknowledged. */
export async function checkGate(usage: string, args: readonly string[]): Promise<void> {
  const { runs } = readOptions(usage, { runs: { type: 'string' } }, args)
  const pairs = Number(runs ?? 100_000)
  await checkRows(pairs)
  await checkRequests(Math.ceil(pairs / share))
}

async function checkRows(pairs: number): Promise<void> {
  const bench = await openBench()
  // The machine may be busy with other tests.
  const [here, there] = [bench.node(30_000), bench.node(30_000)]
  const ids = Array.from({ length: lanes }, (_, lane) => `org${lane}`)
  for (const id of ids) putAdmins(here, id, [`ada of ${id}`])
  const find = async (all: number, passes: boolean) => {
    const each = Math.ceil(all / lanes)
    const found = await Promise.all(
      ids.map(id => findStale(here, there, { pairs: each, passes, id })),
    )
    return found.reduce((sum, stale) => sum + stale)
  }
  const stale = await find(pairs, true)
  const looks = [here, there].reduce((sum, { gate }) => sum + (gate?.looks ?? 0), 0)
  const withoutGate = await find(lanes * 20, false)
  bench.stop()
  console.log(`rows: ${pairs} pairs, ${looks} looks, ${stale} stale`)
  console.log(`control without the gate: ${lanes * 20} pairs, ${withoutGate} stale`)
  assert.is(stale, 0)
  assert.ok(withoutGate > 0, 'the control must find stale reads')
}

async function checkRequests(pairs: number): Promise<void> {
  const nodes = await startNodes()
  let stale = 0
  for (let pair = 0; pair < pairs; pair++) {
    const both = [nodes.a.admin, nodes.adminAtB] as const
    const [writer, reader] = pair % 4 < 2 ? both : [both[1], both[0]]
    const title = `Acme ${pair}`
    const written = await writer.patch('/v1/orgs/acme', { title })
    assert.is(written.status, 200)
    if ((await reader.get('/v1/orgs/acme')).body.title !== title) stale++
  }
  await nodes.stop()
  console.log(`requests: ${pairs} pairs, ${stale} stale`)
  assert.is(stale, 0)
}
