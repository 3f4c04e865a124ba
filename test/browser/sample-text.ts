import { readFileSync } from 'node:fs'
import { writeTree } from '../../src/content/html/write-page.ts'
import { atOnce } from '../../src/lib/slices.ts'
import { htmlOptions, pageHtml } from '../support/html/write.ts'
import { markPages } from '../support/marked-page.ts'

/** Options of a space whose images are those of the server of the samples. */
const options = {
  ...htmlOptions,
  targets: {
    ...htmlOptions.targets,
    image: () => ({ src: '/picture.svg', width: 640, height: 240 }),
  },
}

/** A page with every block, as the writer has it. */
export const sampleText = pageHtml(
  readFileSync(new URL('blocks.md', import.meta.url), 'utf8'),
  options,
)

/** A page, and the same page with every kind of mark against it. */
export const marksBefore = `# Marks

Run npm i and start it.

Stood at the beginning, in other words elsewhere.

## Next steps

Old words that are gone.

This paragraph is the same.

* Stays
* Also stays

\`\`\`
first line
second line
third line
\`\`\`

This one is the same, too.

| Old | row |
| --- | --- |
| a | b |

And so is the third one.

{% tabs %}
{% tab title="One" %}
First.
{% endtab %}
{% endtabs %}
`

export const marksAfter = `# Marks

Run npm ci and start it.

## Next steps to take

Then open the address it prints.

This paragraph is the same.

* Stays
* Comes
* Also stays

\`\`\`
first line
another line
third line
\`\`\`

This one is the same, too.

| Old | row |
| --- | --- |
| a | b |
| new | line |

And so is the third one.

{% tabs %}
{% tab title="One" %}
First.
{% endtab %}
{% tab title="Two" %}
Second.
{% endtab %}
{% endtabs %}

Stood at the beginning, in other words elsewhere.
`

const { root, notes } = markPages(marksBefore, marksAfter).page

/** A text with every kind of mark, as a change request shows it. */
export const sampleMarks = atOnce(writeTree(root, notes, options))
