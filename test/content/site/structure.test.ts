import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  matchStructure,
  type Placed,
  type PlacedSection,
  type PlacedSpace,
  pathBelowBase,
  type Structure,
} from '../../../src/content/site/structure.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const at = (path: string, isDefault = false): Placed => ({ path, isDefault })

test('the path below the base leaves out defaults', () => {
  const [space, variant, section, main] = [at('v2', true), at('v1'), at('api'), at('docs', true)]
  assert.is(pathBelowBase({ siteSpace: space }), '')
  assert.is(pathBelowBase({ siteSpace: variant }), 'v1/')
  assert.is(pathBelowBase({ section: main, siteSpace: space }), '')
  assert.is(pathBelowBase({ section: main, siteSpace: variant }), 'docs/v1/')
  assert.is(pathBelowBase({ section, siteSpace: space }), 'api/')
  assert.is(pathBelowBase({ section, siteSpace: variant }), 'api/v1/')
})

/** Returns a list of site spaces, of which the first is the default; ids begin with `before`. */
const spaces = (before: string, ...paths: string[]): PlacedSpace[] =>
  paths.map((path, index) => ({ id: `${before}${path}`, path, isDefault: index === 0 }))

const sections = {
  kind: 'sections' as const,
  sections: [
    { id: 'docs', path: 'docs', isDefault: true, siteSpaces: spaces('docs-', 'v2', 'v1') },
    { id: 'api', path: 'api', isDefault: false, siteSpaces: spaces('api-', 'v2', 'v1') },
    { id: 'faq', path: 'faq', isDefault: false, siteSpaces: spaces('faq-', 'all') },
  ],
}
const variants: Structure = { kind: 'siteSpaces', siteSpaces: spaces('', 'v2', 'v1') }
const single: Structure = { kind: 'siteSpaces', siteSpaces: spaces('', 'only') }

/** Returns a match as text: ids, prefix, rest, and what else is to be said. */
function shown(structure: Structure, address: string): string {
  const match = matchStructure(structure, address === '' ? [] : address.split('/'))
  if (!match) return 'nothing'
  const { siteSpaceId, prefix, rest, canonical, complete } = match

  return [
    siteSpaceId,
    prefix || '-',
    rest.join('/') || '-',
    canonical ? '' : 'redirect',
    complete ? '' : 'incomplete',
  ]
    .filter(part => part !== '')
    .join(' ')
}

const matches: [Structure, string, string][] = [
  [sections, '', 'docs-v2 - - incomplete'],
  [sections, 'guide/intro', 'docs-v2 - guide/intro'],
  [sections, 'v1/intro', 'docs-v2 - v1/intro'],
  [sections, 'docs', 'docs-v2 - - redirect incomplete'],
  [sections, 'docs/intro', 'docs-v2 - intro redirect'],
  [sections, 'docs/v2/intro', 'docs-v2 - intro redirect'],
  [sections, 'docs/v1/intro', 'docs-v1 docs/v1/ intro'],
  [sections, 'docs/v1', 'docs-v1 docs/v1/ -'],
  [sections, 'api', 'api-v2 api/ - incomplete'],
  [sections, 'api/intro', 'api-v2 api/ intro'],
  [sections, 'api/v2/intro', 'api-v2 api/ intro redirect'],
  [sections, 'api/v1/v1', 'api-v1 api/v1/ v1'],
  [sections, 'API/V1/Intro', 'api-v1 api/v1/ Intro redirect'],
  [sections, 'faq', 'faq-all faq/ -'],
  [sections, 'faq/all', 'faq-all faq/ - redirect'],
  [variants, '', 'v2 - - incomplete'],
  [variants, 'v1', 'v1 v1/ -'],
  [variants, 'v1/v1', 'v1 v1/ v1'],
  [variants, 'v2/a', 'v2 - a redirect'],
  [variants, 'a/v1', 'v2 - a/v1'],
  [single, '', 'only - -'],
  [single, 'only/a', 'only - a redirect'],
  // The short address would name another place, so the long one stays.
  [sections, 'docs/api/x', 'docs-v2 docs/ api/x'],
  [sections, 'DOCS/api/x', 'docs-v2 docs/ api/x redirect'],
  [sections, 'docs/v2/api/x', 'docs-v2 docs/ api/x redirect'],
  [sections, 'docs/v2/v1/x', 'docs-v2 - v1/x redirect'],
  [sections, 'api/v2/v1/x', 'api-v2 api/v2/ v1/x'],
  [variants, 'v2/v1/x', 'v2 v2/ v1/x'],
  [variants, 'v2/v2/x', 'v2 v2/ v2/x'],
  [{ kind: 'sections', sections: [] }, 'x', 'nothing'],
  [{ kind: 'siteSpaces', siteSpaces: [] }, '', 'nothing'],
]
for (const [structure, address, expected] of matches)
  test(`"${address}" in ${structure.kind} leads to ${expected}`, () =>
    assert.is(shown(structure, address), expected))

test('without the default, the first item of a list acts as default, below its own path', () => {
  const siteSpaces = [at('a'), at('b')].map(each => ({ ...each, id: each.path }))
  assert.is(shown({ kind: 'siteSpaces', siteSpaces }, 'x'), 'a a/ x redirect')
  assert.is(shown({ kind: 'siteSpaces', siteSpaces }, 'a/x'), 'a a/ x')
  const hidden = { kind: 'sections' as const, sections: sections.sections.slice(1) }
  assert.is(shown(hidden, ''), 'api-v2 api/ - redirect incomplete')
  assert.is(shown(hidden, 'intro'), 'api-v2 api/ intro redirect')
  assert.is(shown(hidden, 'docs/intro'), 'api-v2 api/ docs/intro redirect')
})

test('other Unicode composition in the structure leads to a redirect', () => {
  const siteSpaces = [
    { id: 'x', ...at('\u00e9') },
    { id: 'y', ...at('y', true) },
  ]
  assert.is(shown({ kind: 'siteSpaces', siteSpaces }, 'e\u0301/a'), 'x \u00e9/ a redirect')
})

const path = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const listOf = <Item extends { path: string }>(item: fc.Arbitrary<Item>) =>
  fc
    .tuple(
      fc.uniqueArray(item, { minLength: 1, maxLength: 4, selector: each => each.path }),
      fc.nat(),
    )
    .map(([items, chosen]) =>
      items.map((each, index) => ({ ...each, isDefault: index === chosen % (items.length + 1) })),
    )
const siteSpaces = listOf(path.map(each => ({ path: each, id: each })))
const structures: fc.Arbitrary<Structure> = fc.oneof(
  siteSpaces.map(list => ({ kind: 'siteSpaces' as const, siteSpaces: list })),
  listOf(fc.record({ path, siteSpaces })).map(list => ({
    kind: 'sections' as const,
    sections: list.map(
      (each): PlacedSection => ({
        ...each,
        id: each.path,
        siteSpaces: each.siteSpaces.map(space => ({ ...space, id: `${each.path}-${space.path}` })),
      }),
    ),
  })),
)
const segments = fc.array(
  fc.oneof(
    path,
    path.map(each => each.toUpperCase()),
    fc.constant('page'),
  ),
  { maxLength: 5 },
)

/** Returns every site space with its section. */
const placesOf = (structure: Structure): { section?: PlacedSection; siteSpace: PlacedSpace }[] =>
  structure.kind === 'siteSpaces'
    ? structure.siteSpaces.map(siteSpace => ({ siteSpace }))
    : structure.sections.flatMap(section =>
        section.siteSpaces.map(siteSpace => ({ section, siteSpace })),
      )

test('the path of every site space leads back to it', () => {
  fc.assert(
    fc.property(structures, structure => {
      for (const place of placesOf(structure)) {
        const prefix = pathBelowBase(place)
        for (const rest of [[], ['page'], ['page', 'a']]) {
          const match = matchStructure(structure, [...prefix.split('/').slice(0, -1), ...rest])
          assert.is(match?.siteSpaceId, place.siteSpace.id)
          assert.is(match?.sectionId, place.section?.id)
          assert.equal([match?.prefix, match?.rest, match?.canonical], [prefix, rest, true])
        }
      }
    }),
    { numRuns: runs(500) },
  )
})

test('a redirect leads to the same place in one step', () => {
  fc.assert(
    fc.property(structures, segments, (structure, given) => {
      const match = matchStructure(structure, given)
      assert.ok(match)
      const again = matchStructure(structure, [
        ...match.prefix.split('/').slice(0, -1),
        ...match.rest,
      ])
      assert.equal(again, { ...match, canonical: true, complete: again!.complete })
    }),
    { numRuns: runs(2000) },
  )
})

test('a match is complete exactly when further segments cannot lead to another site space', () => {
  fc.assert(
    fc.property(structures, segments, (structure, given) => {
      const match = matchStructure(structure, given)
      const further = placesOf(structure).flatMap(({ section, siteSpace }) => [
        [siteSpace.path],
        ...(section ? [[section.path], [section.path, siteSpace.path]] : []),
      ])
      const others = further.filter(
        more => matchStructure(structure, [...given, ...more])?.siteSpaceId !== match?.siteSpaceId,
      )
      assert.is(match?.complete, others.length === 0)
    }),
    { numRuns: runs(1000) },
  )
})

test('an address is found without a search through the lists', () => {
  const count = (sectionCount: number) => {
    const structure: Structure = {
      kind: 'sections',
      sections: Array.from({ length: sectionCount }, (_, index) => ({
        id: `s${index}`,
        path: `s${index}`,
        isDefault: index === 0,
        siteSpaces: spaces(`s${index}-`, ...Array.from({ length: 300 }, (_, at) => `v${at}`)),
      })),
    }
    return leastCpuTime(() => {
      for (let run = 0; run < 20_000; run++)
        matchStructure(structure, [`s${run % sectionCount}`, `v${run % 300}`, 'page'])
    })
  }

  count(100)
  const [few, many] = [count(2), count(100)]
  assert.ok(many < 10 * few + 100, `${few} ms for 2 sections, ${many} ms for 100`)
})

test.run()
