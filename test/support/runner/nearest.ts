import { dirname } from 'node:path'
import { weigh } from './rings.ts'

/** Which files import a file, by the path of that file. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>

/** Returns what tells whether a file imports another one, itself or through others. */
export function importing(file: string, importers: Importers): (each: string) => boolean {
  const found = new Set([file])
  // Files that are appended while the loop runs are visited, too.
  for (const each of found) for (const importer of importers.get(each) ?? []) found.add(importer)
  return each => found.has(each)
}

/**
 * Imports everything: a test that starts a server has no particular part of the program. Which part
 * it is for is known by its folder.
 */
const hub = 'test/support/app.ts'

/**
 * Returns how many steps each file is away from a changed one: a step leads to the files that import
 * a file, and to the tests in the folder of the same name below test/.
 */
function distances(
  changed: readonly string[],
  tests: readonly string[],
  importers: Importers,
): Map<string, number> {
  const found = new Map(changed.map(file => [file, 0]))
  // Files that are appended while the loop runs are visited, too.
  for (const [file, distance] of found) {
    const next = file === hub && distance > 0 ? [] : (importers.get(file) ?? [])
    for (const each of [...next, ...testsOf(file, tests)])
      if (!found.has(each)) found.set(each, distance + 1)
  }

  return found
}

/**
 * Returns the tests of what a file is part of: `src/a/b.ts` has `test/a/c.test.ts` and
 * `test/a.test.ts`, and so has `test/a/b.txt`; without them, the tests of the folder above. What
 * uses a module of test/ imports it.
 */
function testsOf(file: string, tests: readonly string[]): string[] {
  if (/^test\/.*\.tsx?$/.test(file)) return []
  const top = dirname(file).replace(/^src\b/, 'test')
  for (let at = top; at !== '.' && at !== 'test'; at = dirname(at)) {
    const folder = at.startsWith('test') ? at : `test/${at}`
    const found = tests.filter(test => test === `${folder}.test.ts` || dirname(test) === folder)
    if (found.length > 0) return found
  }

  return []
}

/**
 * Returns the test files that changes of these files may break, the nearest first, as far as they
 * take at most `mostMs` of processor time together; and how many more there are.
 */
export function nearest(
  changed: readonly string[],
  tests: readonly string[],
  importers: Importers,
  mostMs: number,
): { files: string[]; left: number } {
  const away = distances(changed, tests, importers)
  const found = tests
    .filter(file => away.has(file))
    .sort((a, b) => away.get(a)! - away.get(b)! || weigh(a) - weigh(b))
  let total = 0
  const files = found.filter(file => {
    const isTaken = total + weigh(file) <= mostMs
    if (isTaken) total += weigh(file)
    return isTaken
  })

  return { files, left: found.length - files.length }
}
