import { Drawn, PageIcon } from '../../ui/parts/icon.tsx'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import type { NavEntry } from './model.ts'

/** Returns the list of pages: a drawer on phones, a column elsewhere. */
export function Nav({ words, entries }: { words: SurfaceWords; entries: readonly NavEntry[] }) {
  return (
    <nav class="side" id="~pages" popover="auto" aria-label={words.pages}>
      <Entries words={words} entries={entries} />
    </nav>
  )
}

/** Returns entries of the list of pages, with the pages of those that are open. */
export function Entries({ words, entries }: { words: SurfaceWords; entries: readonly NavEntry[] }) {
  return (
    <ul class="plain">
      {entries.map(entry =>
        entry.kind === 'group' ? (
          <li class="group">
            <span>
              <PageIcon emoji={entry.emoji} icon={entry.icon} />
              {entry.title}
            </span>
            {entry.pages.length > 0 && <Entries words={words} entries={entry.pages} />}
          </li>
        ) : (
          <Entry words={words} entry={entry} />
        ),
      )}
    </ul>
  )
}

function Entry({ words, entry }: { words: SurfaceWords; entry: NavEntry }) {
  return (
    <li class={entry.hasPages ? (entry.open ? 'more open' : 'more') : undefined}>
      <a href={entry.href} aria-current={entry.current ? 'page' : undefined}>
        <PageIcon emoji={entry.emoji} icon={entry.icon} />
        <span>{entry.mark === 'removed' ? <del>{entry.title}</del> : entry.title}</span>
        {entry.mark && <Mark words={words} mark={entry.mark} />}
        {entry.kind === 'link' && <Drawn name="out" />}
      </a>
      {entry.hasPages && (
        <button
          class="twist"
          type="button"
          aria-label={fill(words.pagesBelow, { title: entry.title })}
          aria-expanded={entry.open ? 'true' : 'false'}
          data-fragment={entry.fragment}
        />
      )}
      {entry.pages.length > 0 && <Entries words={words} entries={entry.pages} />}
    </li>
  )
}

function Mark({ words, mark }: { words: SurfaceWords; mark: NonNullable<NavEntry['mark']> }) {
  if (mark === 'new') return <small class="tag">{words.new}</small>
  if (mark === 'draft') return <small class="tag draft">{words.draft}</small>
  const title = mark === 'changed' ? words.changed : words.removed
  return (
    <small class={mark}>
      <span class="sr">({title})</span>
    </small>
  )
}
