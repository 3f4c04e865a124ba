import { putSiteSchema } from '../../../src/store/sites/site-schemas.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'
import type { App } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { png } from '../../support/media/png.ts'
import { publishedSite } from '../../support/sites.ts'

const schema = {
  type: 'object',
  properties: {
    team: { type: 'string', enum: ['a', 'b'], description: 'The team of the visitor.' },
  },
  additionalProperties: false,
}

/** Gives a site an adaptive schema with the claim `team`, "a" or "b". */
export function putTeamSchema(
  { ctx: { store } }: App,
  siteId: string,
  jsonSchema: Record<string, unknown> = schema,
): void {
  const row = {
    site_id: siteId,
    json_schema: jsonSchema,
    updated_at: '2026-01-01T00:00:00.000Z',
  }
  store.transact(() => putSiteSchema(store, row))
}

const only = (team: string) => `---\nif: visitor.claims.team === "${team}"\n---\n`

/**
 * The files that belong to one team: the word is in everything that the other team must not see.
 */
const filesOf = (team: string, word: string): Record<string, string | Uint8Array> => ({
  [`${word}/plans.md`]: `${only(team)}# ${word} plans\n\nThe plans of ${word} for bicycles.\n`,
  [`${word}/child.md`]: `---\ndescription: ${word} described\n---\n# ${word} child\n\nBelow ${word}.\n`,
  [`${word}/grouped.md`]: `${only(team)}# ${word} grouped\n`,
  [`.gitbook/assets/${word}.png`]: png(team === 'a' ? 3 : 4, 2),
  [`.gitbook/assets/${word}-cover.png`]: png(team === 'a' ? 5 : 6, 2),
  [`.gitbook/assets/${word}-deep.png`]: png(team === 'a' ? 7 : 8, 2),
  [`.gitbook/includes/${word}.md`]: `---\ntitle: ${word} note\n---\nSaid to ${word}.\n\n![](../assets/${word}-deep.png)\n`,
  [`${word}/covered.md`]: `---\nif: visitor.claims.team === "${team}"\ncover: ../.gitbook/assets/${word}-cover.png\n---\n# ${word} covered\n`,
})

const block = (team: string, word: string) => `{% if visitor.claims.team === "${team}" %}
## ${word} heading

Only ${word} reads of bicycles. See [${word} plans](${word}/plans.md).

![${word} picture](.gitbook/assets/${word}.png)

{% include ".gitbook/includes/${word}.md" %}
{% endif %}
`

const entriesOf = (word: string) => `* [${word} plans](${word}/plans.md)
  * [${word} child](${word}/child.md)
* [${word} covered](${word}/covered.md)
* [${word} link](${word}/plans.md#more)
* [${word} shelf]()
  * [${word} link again](${word}/covered.md)
`

const files = {
  '.gitbook.yaml': 'redirects:\n  old-a: SECRETA/plans.md\n  old-b: SECRETB/plans.md\n',
  '.gitbook/vars.yaml': 'plan: NEVERSHOWN\n',
  'SUMMARY.md': `# Table of contents

* [Home](README.md)
* [Mixed](mixed.md)
* [Closed](closed.md)
${entriesOf('SECRETA')}${entriesOf('SECRETB')}
## SECRETA group

* [SECRETA grouped](SECRETA/grouped.md)

## SECRETB group

* [SECRETB grouped](SECRETB/grouped.md)
`,
  'README.md': `# Home

Bicycles for all. {% if visitor.claims.team === "a" %}SECRETA aside.{% endif %}

{% include ".gitbook/includes/shared.md" %}
`,
  'mixed.md': `---
if: visitor.claims.team !== "NEVERSHOWN"
description: For every team
vars:
  code: NEVERSHOWN
---
# Mixed

You are in <code class="expression">visitor.claims.team === "a" ? "SECRETA" : visitor.claims.team === "b" ? "SECRETB" : "none"</code>.
Nothing fails: <code class="expression">"NEVERSHOWN" + visitor.</code>.

<!-- NEVERSHOWN: {% if true %} to do {% endif %} -->

${block('a', 'SECRETA')}
${block('b', 'SECRETB')}
The end.
`,
  'closed.md': '---\nif: [NEVERSHOWN]\n---\n# NEVERSHOWN\n',
  'notes/NEVERSHOWN.md': '# NEVERSHOWN\n',
  '.gitbook/assets/NEVERSHOWN.png': png(9, 9),
  '.gitbook/includes/NEVERSHOWN.md': 'NEVERSHOWN\n',
  '.gitbook/includes/shared.md': `Shared words.

{% if visitor.claims.team === "a" %}
SECRETA shared.
{% endif %}

{% if visitor.claims.team === "b" %}
SECRETB shared.
{% endif %}
`,
  ...filesOf('a', 'SECRETA'),
  ...filesOf('b', 'SECRETB'),
}

/**
 * A published site with one space whose pages, blocks, files and reusable content belong to the
 * teams "a" and "b".
 */
export async function makeHouse(app: App, set: Partial<SiteRow> = {}) {
  const made = await makeSpace(app, files)
  const site = await publishedSite(app, [made.space.id], { adaptive: 1, ...set })
  putTeamSchema(app, site.id)
  return { ...made, site }
}
