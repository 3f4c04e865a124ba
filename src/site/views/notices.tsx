import { Drawn } from '../../ui/parts/icon.tsx'
import { relOf } from '../../ui/parts/menu.tsx'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import type { Banner, Frame } from './model.ts'

/** Returns the announcement of a site. A reader who closes it does not see it again. */
export function AnnouncementBar({ frame: { announcement, words } }: { frame: Frame }) {
  if (!announcement) return null
  const { message, link, style } = announcement
  return (
    <aside class={`announcement ${style}`} aria-label={words.announcement}>
      <p>
        {message}
        {link && (
          <>
            {' '}
            <a href={link.href} rel={relOf(link)}>
              {link.title}
            </a>
          </>
        )}
      </p>
      <button
        class="btn icon bare with-script"
        id="~close-announcement"
        type="button"
        aria-label={words.close}
      >
        <Drawn name="close" />
      </button>
    </aside>
  )
}

/**
 * Returns the banner about the state of the content: a former revision, a change request, a
 * comparison.
 */
export function BannerBar({ frame: { banner, words } }: { frame: Frame }) {
  if (!banner) return null
  const { kind, changes = 0 } = banner
  const label = { revision: words.asOfThen, preview: words.toolbar }[kind as 'revision' | 'preview']

  return (
    <aside class="banner" aria-label={label ?? words.whatChanged}>
      <p>{banner.text}</p>
      {changes > 0 && (
        <p class="steps-between">
          <a class="btn" href={`#change-${changes}`} data-step="-1">
            {words.previousChange}
          </a>
          <a class="btn" href="#change-1" data-step="1">
            {words.nextChange}
          </a>
        </p>
      )}
      {banner.links.map(link => (
        <a href={link.href} rel={relOf(link)}>
          {link.title}
        </a>
      ))}
      {banner.changed && <Changed words={words} changed={banner.changed} />}
    </aside>
  )
}

type ChangedProps = { words: SurfaceWords; changed: NonNullable<Banner['changed']> }

/** Returns the pages and files that differ, which a reader unfolds. */
function Changed({ words, changed: { entries, more } }: ChangedProps) {
  return (
    <details class="differences">
      <summary>{words.whatChanged}</summary>
      <ul class="plain">
        {entries.map(({ title, href, mark }) => (
          <li>
            {href ? <a href={href}>{title}</a> : <span>{title}</span>} <small>{words[mark]}</small>
          </li>
        ))}
        {more > 0 && <li>{fill(words.moreChanges, { count: more })}</li>}
      </ul>
    </details>
  )
}
