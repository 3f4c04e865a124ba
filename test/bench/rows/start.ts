import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { putMirroredRef } from '../../../src/store/git/refs.ts'
import { insertRevisions } from '../../../src/store/git/revision-index.ts'
import { findLastRevision } from '../../../src/store/git/revisions.ts'
import {
  findSearchSpace,
  openSearchSpace,
  updateSearchSpace,
} from '../../../src/store/search/search-index.ts'
import { findSpace, insertSpace } from '../../../src/store/spaces/spaces.ts'
import { Store } from '../../../src/store/store.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { type Figure, median, type Pace } from '../figure.ts'
import { residentOf } from '../resident.ts'
import { repositoryOf, type Stemma, withStemma } from '../stemma.ts'

const count = 10_000
const main = 'refs/heads/main'
const idOf = (n: number): string => `${String(n).padStart(6, '0')}start`

/**
 * The start of a server, from its process until it is ready, in a folder of many spaces, and its
 * memory then.
 */
export const start = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const body = { title: 'Bench' }
    const { id } = await stemma.caller.json('POST', '/v1/orgs/default/spaces', {
      body,
      status: 201,
    })

    await waitForSearch(stemma, id)
    const few = await measure(stemma, pace.rounds, () => id)

    await stemma.restart(() => multiply(stemma, id))
    const many = await measure(stemma, pace.rounds, idOf)

    return [
      {
        work: `start with ${count} spaces, from the process to "ready"`,
        value: many.ms,
        unit: 'ms',
        target: { of: 'figure', is: 'under', value: 2_000 },
        reference: { what: 'the same with one space', value: few.ms },
        note: `${many.cpu.toFixed(0)} ms of CPU, with one space ${few.cpu.toFixed(0)}; the first page list then takes ${many.first.toFixed(0)} ms, with one space ${few.first.toFixed(0)}`,
      },
      {
        work: `memory when ready with ${count} spaces`,
        value: many.memory,
        unit: 'MB',
        reference: { what: 'the same with one space', value: few.memory },
      },
    ]
  })

type Start = { ms: number; cpu: number; memory: number; first: number }

/**
 * Starts the server several times. Returns the medians; `first` is the first page list of a space.
 */
async function measure(
  stemma: Stemma,
  rounds: number,
  spaceOf: (round: number) => string,
): Promise<Start> {
  const starts: Start[] = []
  for (let round = 0; round < rounds; round++) {
    let begun = 0
    await stemma.restart(() => {
      begun = performance.now()
    })
    while ((await stemma.caller.call('GET', '/readyz', { status: [200, 503] })).status !== 200)
      await sleep(5)
    const ms = performance.now() - begun
    const [cpu, memory] = [cpuOf(stemma), residentOf(stemma).own]
    const path = `/v1/spaces/${spaceOf(round)}/content/pages`

    starts.push({ ms, cpu, memory, first: (await stemma.caller.call('GET', path)).ms })
  }

  const middle = (name: keyof Start) => median(starts.map(each => each[name]))
  return { ms: middle('ms'), cpu: middle('cpu'), memory: middle('memory'), first: middle('first') }
}

/** The CPU time of the server's process in milliseconds: user and system, in ticks of 10 ms. */
function cpuOf({ pid }: Stemma): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Waits until a space is in the search index, which its copies take over. */
async function waitForSearch({ dataDir }: Stemma, id: string): Promise<void> {
  const store = new Store(join(dataDir, 'stemma.db'))
  while (!findSearchSpace(store, id)?.tree) await sleep(50)
  store.close()
}

/** Copies a space of a stopped server many times: its rows, and its repository as hard links. */
function multiply(stemma: Stemma, id: string): void {
  const from = repositoryOf(stemma, id)
  gitOutside(from, ['repack', '-a', '-q'])
  gitOutside(from, ['prune-packed', '-q'])
  gitOutside(from, ['pack-refs', '--all'])
  const files = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(from.length + 1))
  const folders = [...new Set([...files.map(dirname), 'objects/info', 'refs/heads', 'refs/tags'])]

  for (let n = 0; n < count; n++) {
    const to = repositoryOf(stemma, idOf(n))
    for (const folder of folders) mkdirSync(join(to, folder), { recursive: true })
    // A file system limits the links to a file.
    if (n % 1_000 === 0) for (const file of files) cpSync(join(from, file), join(to, file))
    else {
      const beside = repositoryOf(stemma, idOf(n - (n % 1_000)))
      for (const file of files) linkSync(join(beside, file), join(to, file))
    }
  }

  const store = new Store(join(stemma.dataDir, 'stemma.db'))

  store.transact(() => copyRows(store, id))
  store.transact(() => copyDerivedRows(store, id))
  store.close()
}

function copyRows(store: Store, id: string): void {
  const { seq: _, ...space } = findSpace(store, id)!
  const { oid } = findLastRevision(store, id)!
  for (let n = 0; n < count; n++) {
    insertSpace(store, { ...space, id: idOf(n), position: n + 1 })
    putMirroredRef(store, idOf(n), main, oid)
  }
}

function copyDerivedRows(store: Store, id: string): void {
  const { seq: _, ...revision } = findLastRevision(store, id)!
  const { revision: indexed, tree, stamp, indexer } = findSearchSpace(store, id)!
  for (let n = 0; n < count; n++) {
    const copy = idOf(n)
    insertRevisions(store, copy, 1, [{ row: { ...revision, space_id: copy }, paths: [] }])
    const { number } = openSearchSpace(store, copy, indexer)!
    updateSearchSpace(store, number, { revision: indexed, tree, stamp })
  }
}
