import { Drawn, PageIcon } from '../../ui/parts/icon.tsx'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import { Menu } from '../../ui/parts/menu.tsx'
import { CommentsBelow, withComments } from './comments.tsx'
import type { ArticlePage, Frame, PageAction, PageCard } from './model.ts'
import { PageFoot, Pagination } from './page-foot.tsx'

/** Returns the main part of a page with text. */
export function Article({ frame, page }: { frame: Frame; page: ArticlePage }) {
  const { words } = frame
  const { layout, cover } = page
  return (
    <main id="~content" class={classOf(page)} tabindex={-1}>
      {cover && <Cover cover={cover} />}
      <div class="page-head">
        {page.breadcrumbs.length > 0 && (
          <Breadcrumbs label={words.breadcrumbs} crumbs={page.breadcrumbs} />
        )}
        <div class="title">
          <h1 class={layout.title ? undefined : 'sr'}>
            <PageIcon emoji={page.emoji} icon={page.icon} />
            <Changed was={page.former?.title} text={page.title} />
          </h1>
          {page.actions.length > 0 && !frame.isCopy && <Actions frame={frame} page={page} />}
        </div>
        {layout.description && (page.description || page.former?.description) && (
          <p class="lead">
            <Changed was={page.former?.description} text={page.description ?? ''} />
          </p>
        )}
        {page.isDraft && <p class="moved">{words.draftPage}</p>}
        {page.moved && <p class="moved">{page.moved}</p>}
      </div>
      <article class="prose" dangerouslySetInnerHTML={{ __html: withComments(page, words) }} />
      <CommentsBelow frame={frame} page={page} />
      {page.below && (
        <Below label={words.pagesBelow.replace('{title}', page.title)} cards={page.below} />
      )}
      {layout.pagination && <Pagination words={words} page={page} />}
      {layout.metadata && <PageFoot words={words} page={page} />}
    </main>
  )
}

/** Returns the pages below a page without text as cards. */
function Below({ label, cards }: { label: string; cards: readonly PageCard[] }) {
  return (
    <nav aria-label={label}>
      <ul class="plain cards">
        {cards.map(({ title, href, emoji, icon, description }) => (
          <li>
            <a class="card" href={href}>
              <b>
                <PageIcon emoji={emoji} icon={icon} />
                {title}
              </b>
              {description && <small>{description}</small>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/**
 * Returns the class of the main part, which tells whether the page has wide blocks. A style that
 * selects by content would change the width during loading.
 */
function classOf({ layout, html }: ArticlePage): string | undefined {
  if (layout.wide) return 'wide'
  return / class="[^"]*\bwide\b/.test(html) ? 'with-wide' : undefined
}

/** Returns a text, marked as changed if it was another one before. */
function Changed({ was, text }: { was: string | undefined; text: string }) {
  if (was === undefined || was === text) return <>{text}</>
  return (
    <>
      {was && <del>{was}</del>} {text && <ins>{text}</ins>}
    </>
  )
}

/**
 * The offset of a cover in pixels becomes one of five positions: a page has no style attributes.
 */
function Cover({ cover }: { cover: NonNullable<ArticlePage['cover']> }) {
  const y = Math.max(0, Math.min(4, Math.round(2 - cover.y / 100)))
  const height = Math.max(80, Math.min(640, cover.height ?? 240))
  const attributes = { height, 'data-y': y, decoding: 'async' as const }

  return (
    <div class={cover.hero ? 'cover hero' : 'cover'}>
      <img
        class={cover.dark ? 'light-only' : undefined}
        src={cover.light}
        alt=""
        {...attributes}
        fetchpriority="high"
      />
      {cover.dark && <img class="dark-only" src={cover.dark} alt="" {...attributes} />}
    </div>
  )
}

function Breadcrumbs({ label, crumbs }: { label: string; crumbs: readonly FrameLink[] }) {
  return (
    <nav aria-label={label}>
      <ol class="plain crumbs">
        {crumbs.map(crumb => (
          <li>{crumb.href ? <a href={crumb.href}>{crumb.title}</a> : crumb.title}</li>
        ))}
      </ol>
    </nav>
  )
}

function Actions({ frame: { words }, page }: { frame: Frame; page: ArticlePage }) {
  return (
    <Menu
      id="~actions"
      class="btn icon actions"
      label={words.pageActions}
      button={<Drawn name="more" />}
    >
      <ul class="plain">
        {page.actions.map(action => (
          <li class={scripted[action.kind] ? 'with-script' : undefined}>
            <Action action={action} />
          </li>
        ))}
      </ul>
    </Menu>
  )
}

/** The actions that need a script, and what it does: copies a text, or an address. */
const scripted: Readonly<Partial<Record<PageAction['kind'], 'copy' | 'link'>>> = {
  copy: 'copy',
  mcp: 'link',
  link: 'link',
}

function Action({ action: { kind, title, href } }: { action: PageAction }) {
  const does = scripted[kind]
  if (!does)
    return (
      <a href={href} rel={kind === 'assistant' ? 'noopener nofollow' : undefined}>
        {title}
      </a>
    )

  return (
    <button type="button" data-action={does} data-href={href}>
      {title}
    </button>
  )
}
