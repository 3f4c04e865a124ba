import { readFileSync } from 'node:fs'
import { shares } from '../long-run.ts'

/**
 * Test files that take long: processes that are killed, tables of every way and file, work on large
 * inputs, whole corpora, and pages in a browser. A plain run has a quarter of them, which the commit
 * id chooses; all other test files run each time.
 */
export const secondRing: readonly string[] = [
  // Processes that are killed, disks that are full, and data that is damaged.
  'test/actions/change-requests/merge-crash.test.ts',
  'test/actions/change-requests/merge-race.test.ts',
  'test/actions/events/webhook-crash.test.ts',
  'test/actions/specs/spec-crash.test.ts',
  'test/actions/upkeep/derived.test.ts',
  'test/actions/upkeep/purge-content.test.ts',
  'test/actions/upkeep/sign-in-kept.test.ts',
  'test/actions/upkeep/stale-rows.test.ts',
  'test/crash/check/all.test.ts',
  'test/crash/check/specs.test.ts',
  'test/damage/clock.test.ts',
  'test/damage/database.test.ts',
  'test/damage/drills.test.ts',
  'test/damage/full-disk-push.test.ts',
  'test/damage/full-disk.test.ts',
  'test/damage/objects.test.ts',
  'test/damage/repository.test.ts',
  'test/damage/specs.test.ts',
  'test/damage/upkeep.test.ts',
  'test/git/repositories/crash.test.ts',
  'test/postgres/repositories/repair.test.ts',
  'test/transfers/push-killed.test.ts',
  // Git clients of other makers.
  'test/transfers/clients.test.ts',
  // Tables of all ways in, and of all names that may be foreign. The table of guards is in the first.
  'test/guards/files.test.ts',
  'test/guards/nowhere.test.ts',
  'test/guards/taken-away.test.ts',
  'test/guards/ways.test.ts',
  // Large inputs, whole corpora, and random sequences of requests.
  'test/api/content/corpora.test.ts',
  'test/api/content/limits.test.ts',
  'test/api/content-edits/corpora.test.ts',
  'test/content/changes/corpora.test.ts',
  'test/content/changes/work.test.ts',
  'test/content/html/corpora.test.ts',
  'test/content/html/hostile.test.ts',
  'test/content/links/corpora.test.ts',
  'test/content/tree/corpora.test.ts',
  'test/corpora/round-trip.test.ts',
  'test/guest/guest.test.ts',
  'test/site/equality.test.ts',
  'test/work/work.test.ts',
  // Archives and remotes that are forged, and jobs that run into each other.
  'test/actions/upkeep/restore-hostile.test.ts',
  'test/api/git/order.test.ts',
  'test/api/git/provenance.test.ts',
  'test/api/openapi/meanwhile.test.ts',
  'test/api/reading/leaks.test.ts',
  // Every transaction twice, in suites that also run without that.
  'test/store/engine/running-twice.test.ts',
  // Pages in a browser, and pictures.
  'test/cli/site-download.test.ts',
  'test/content/customization/theme/browser.test.ts',
  'test/content/html/browser.test.ts',
  'test/site/browser.test.ts',
  'test/site/calls/calls.test.ts',
  'test/site/diagrams.test.ts',
  'test/site/feedback.test.ts',
  'test/site/fonts.test.ts',
  'test/site/images.test.ts',
  'test/site/live.test.ts',
  'test/site/share-images.test.ts',
  'test/site/travel/marked-pages.test.ts',
  'test/workbench/browser.test.ts',
  // Every command of a terminal in a shell, and every setting of a first start; a build of a copy. The
  // built program serves in test/cli/serve.test.ts, too.
  'test/cli/built.test.ts',
  'test/cli/manual.test.ts',
  'test/scripts.test.ts',
]

/** Milliseconds of each file that weighs more than `light`, as `--weigh` wrote. */
export const weightsFile = 'test/support/runner/weights.json'
export const weights = JSON.parse(readFileSync(weightsFile, 'utf8')) as Record<string, number>

/** What a file that is not weighed is taken to use. */
export const light = 300

export const weigh = (file: string): number => weights[file] ?? light

/** Sorts files by their weights: the longest run first, so that no processor is idle at the end. */
export const longestFirst = (files: readonly string[]): string[] =>
  files.toSorted((a, b) => weigh(b) - weigh(a) || (a < b ? -1 : 1))

/** Returns the files of the second ring that the commit with this number runs. */
export const shareOf = (commit: number): string[] => partOf(secondRing, shares, commit)

/**
 * Returns the part of files that is the turn of a number. The parts weigh about the same: each file,
 * the longest first, joins the lightest part.
 */
function partOf(files: readonly string[], count: number, turn: number): string[] {
  const parts = Array.from({ length: count }, () => ({ files: [] as string[], weight: 0 }))
  for (const file of longestFirst(files)) {
    const lightest = parts.toSorted((a, b) => a.weight - b.weight)[0] as (typeof parts)[number]
    lightest.files.push(file)
    lightest.weight += weigh(file)
  }
  return parts[turn % count]?.files ?? []
}

/** Folders of test/ whose servers also run on PostgreSQL: of rights, and of everything else. */
const ofRights = ['access', 'conformance', 'guards', 'rights']
const ofTheRest = ['api', 'site', 'transfers', 'workbench']

/**
 * Returns the files that the commit with this number runs on PostgreSQL, of those with servers. Four
 * commits in a row run what is about rights, sixteen the rest without its second ring.
 */
export function postgresShareOf(commit: number, withServers: readonly string[]): string[] {
  const below = (folders: readonly string[]) =>
    withServers.filter(file => folders.includes(file.split('/')[1] ?? ''))
  return [
    ...partOf(below(ofRights), shares, commit),
    ...partOf(
      below(ofTheRest).filter(file => !secondRing.includes(file)),
      shares * shares,
      commit,
    ),
  ]
}

/**
 * Returns which part of long lists the commit with this number takes: another digit than that of
 * the second ring, whose files would otherwise take the same part each time they run.
 */
export const partOfLists = (commit: number): number => Math.floor(commit / shares) % shares
