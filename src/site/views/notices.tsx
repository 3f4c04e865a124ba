import { Drawn } from './icon.tsx'
import { relOf } from './menu.tsx'
import type { Frame } from './model.ts'

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
        id="close-announcement"
        type="button"
        aria-label={words.close}
      >
        <Drawn name="close" />
      </button>
    </aside>
  )
}

/** Returns the banner about the state of the content: a former revision, a change request, a comparison. */
export function BannerBar({ frame: { banner, words } }: { frame: Frame }) {
  if (!banner) return null
  const steps = banner.kind === 'change-request' || banner.kind === 'comparison'
  const label = { revision: words.asOfThen, preview: words.toolbar }[banner.kind as 'revision' | 'preview']
  return (
    <aside class="banner" aria-label={label ?? words.whatChanged}>
      <p>{banner.text}</p>
      {steps && (
        <p class="steps-between" hidden>
          <button class="btn" type="button" data-step="-1">
            {words.previousChange}
          </button>
          <button class="btn" type="button" data-step="1">
            {words.nextChange}
          </button>
        </p>
      )}
      {banner.links.map(link => (
        <a href={link.href} rel={relOf(link)}>
          {link.title}
        </a>
      ))}
    </aside>
  )
}
