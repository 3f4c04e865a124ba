import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitFiles, git } from '../crash/clients/git.ts'
import { makeProgram } from '../crash/program.ts'
import { type Random, randomFrom } from '../crash/random.ts'
import { withoutLimits } from '../crash/world.ts'
import { serveGit } from '../support/git/git-server.ts'
import { until } from '../support/until.ts'
import { type Database, openDatabase } from './database.ts'
import { type Node, openNode } from './node.ts'
import { write } from './writers.ts'
import type { Writing, Written } from './writing.ts'

/** Two nodes on a replicated database, and what was written to them. */
export type World = {
  folder: string
  database: Database
  nodes: readonly Node[]
  random: Random
  written: Written[]
  /** The ids of the spaces that were created here, the newest last. */
  spaces: string[]
  /** Returns the spaces that are written to. */
  busy: () => string[]
  /** The writers, each with what it met. */
  writings: Writing[]
  /** How long failures were felt, by their kind. */
  outages: Map<string, Outage>
  /** Makes the writers end, and resolves when they have. */
  quiet: () => Promise<unknown>
  close: () => Promise<void>
}

/** Milliseconds after a failure. */
export type Outage = {
  /** Until a write to a space that began after it was acknowledged. */
  spaces: number[]
  /** Until a write that was under way was acknowledged. */
  underWay: number[]
  /** Until the node that is left has acknowledged a write to each space that began with the failure. */
  survivor: number[]
  /** The same before the failure, when both nodes are there. */
  before: number[]
}

const names = ['one', 'two']
/** The number of newest spaces that are written to. */
const current = 6

type Settings = { isSynchronous?: boolean; env?: Record<string, string>; writers: number }

/** Opens two nodes, and lets clients write to them. */
export async function openWorld(
  seed: number,
  { isSynchronous = true, env = {}, writers }: Settings,
): Promise<World> {
  const program = await makeProgram()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-cluster-'))
  const database = await openDatabase(isSynchronous)
  const random = randomFrom(seed)
  const remotes = await openRemotes(folder)
  const settings = {
    ...withoutLimits,
    STEMMA_KEYS: randomBytes(32).toString('base64'),
    STEMMA_PUBLIC_URL: 'http://stemma.test',
    STEMMA_ADMIN_TOKEN: `stm_${'k'.repeat(40)}`,
    // A stack of ten calls ends in the driver.
    NODE_OPTIONS: '--stack-trace-limit=40',
    ...env,
  }
  const nodes: Node[] = []
  for (const name of names)
    nodes.push(await openNode({ name, folder, database, program, env: settings }))
  for (const node of nodes) await node.start()
  const written: Written[] = []
  const spaces: string[] = []
  const { makeRemote } = remotes
  const writings = Array.from({ length: writers }, (_, lane) => {
    const clones = join(folder, `writer${lane}`)
    return { nodes, random, written, refused: [], repeated: 0, folder: clones, makeRemote }
  })
  const busy = () => spaces.slice(-current)
  let isOver = false

  const world: World = {
    folder,
    database,
    nodes,
    random,
    written,
    spaces,
    busy,
    writings,
    outages: new Map(),
    quiet: () => {
      isOver = true
      return works
    },
    async close() {
      for (const node of nodes) await node.destroy()
      await Promise.all([remotes.close(), ...nodes.map(({ relay }) => relay.close())])
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await createSpace(world)
  const works = Promise.all(writings.map(writing => write(writing, busy, () => isOver)))
  return world
}

/** Serves repositories that spaces import. */
async function openRemotes(top: string) {
  const folder = join(top, 'remotes')
  const dir = join(folder, 'remote.git')
  mkdirSync(dir, { recursive: true })
  await git(dir, ['init', '--quiet', '--bare'])
  const host = await serveGit({ folder })
  const makeRemote: Writing['makeRemote'] = async title => {
    await commitFiles(dir, title, {
      'README.md': '# Begin\n',
      [`${title}.md`]: `# ${title}\n`,
      'SUMMARY.md': `# Table of contents\n\n* [Begin](README.md)\n* [${title}](${title}.md)\n`,
    })
    return { url: `${host.origin}/remote.git`, ref: `refs/heads/${title}` }
  }
  return { makeRemote, close: host.close }
}

/** Creates a space at the first node that can. A node on a busy machine may answer 503 for a while. */
export const createSpace = ({ nodes, spaces }: World): Promise<void> =>
  until('a node creates a space', async () => {
    for (const { call } of nodes) {
      const body = { title: `Space ${spaces.length}` }
      const asked = call?.({ method: 'POST', path: '/v1/orgs/default/spaces', body })
      const reply = await asked?.catch(() => undefined)
      if (reply?.status !== 201) continue
      spaces.push(reply.body.id)
      return true
    }
    return undefined
  }).then(() => {})
