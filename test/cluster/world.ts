import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeProgram } from '../crash/program.ts'
import { type Random, randomFrom } from '../crash/random.ts'
import { type Database, openDatabase } from './database.ts'
import { type Node, openNode } from './node.ts'
import type { Writing, Written } from './writers.ts'

/** Two nodes on a replicated database, and what was written to them. */
export type World = {
  database: Database
  nodes: readonly Node[]
  random: Random
  written: Written[]
  /** The ids of all spaces, the newest last. */
  spaces: string[]
  writing: Writing
  /** Milliseconds until each space was written to after a failure, by the kind of failure. */
  outages: Map<string, number[]>
  close: () => Promise<void>
}

const names = ['one', 'two']

export async function openWorld(
  seed: number,
  { isSynchronous = true, env = {} }: { isSynchronous?: boolean; env?: Record<string, string> },
): Promise<World> {
  const program = await makeProgram()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-cluster-'))
  const database = await openDatabase(isSynchronous)
  const random = randomFrom(seed)
  const settings = {
    STEMMA_KEYS: randomBytes(32).toString('base64'),
    STEMMA_PUBLIC_URL: 'http://stemma.test',
    STEMMA_ADMIN_TOKEN: `stm_${'k'.repeat(40)}`,
    STEMMA_MAX_COMMENTS_PER_HOUR: '1000000',
    STEMMA_MAX_REQUESTS_PER_MINUTE: '10000000',
    STEMMA_MAX_SPACES_PER_DAY: '0',
    STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '0',
    STEMMA_MAX_CONNECTIONS_PER_ADDRESS: '0',
    STEMMA_LOG: 'warn',
    NODE_ENV: 'production',
    ...env,
  }
  const nodes: Node[] = []
  for (const name of names)
    nodes.push(await openNode({ name, folder, database, program, env: settings }))
  for (const node of nodes) await node.start()
  const written: Written[] = []

  return {
    database,
    nodes,
    random,
    written,
    spaces: [],
    writing: { nodes, random, written, refused: [], repeated: 0 },
    outages: new Map(),
    async close() {
      for (const node of nodes) await node.destroy()
      await Promise.all(nodes.map(({ relay }) => relay.close()))
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a space. */
export async function createSpace({ nodes, spaces, random }: World): Promise<void> {
  const reply = await random.pick(nodes).call!({
    method: 'POST',
    path: '/v1/orgs/default/spaces',
    body: { title: `Space ${spaces.length}` },
  })
  if (reply?.status !== 201) throw new Error(`no space: ${reply?.status} ${reply?.text}`)
  spaces.push(reply.body.id)
}
