import { Drawn, PageIcon } from '../../ui/parts/icon.tsx'
import { Links, Menu, relOf } from '../../ui/parts/menu.tsx'
import { Logo } from './brand.tsx'
import type { Frame, HeaderItem, Tab } from './model.ts'

/** Which drawers a page has. */
type Drawers = { pages: boolean; outline: boolean }

/**
 * Returns the header of a page: name of the site, sections, search, links, variants and the switch
 * of the scheme.
 */
export function Header({ frame, drawers }: { frame: Frame; drawers: Drawers }) {
  const { words } = frame
  const links = frame.header.length + frame.variants.length > 0
  return (
    <header class="top">
      {drawers.pages && (
        <button
          class="btn icon when-small"
          type="button"
          popovertarget="~pages"
          aria-label={words.pages}
        >
          <Drawn name="bars" />
        </button>
      )}
      <a class="brand" href={frame.home}>
        {frame.logo ? (
          <Logo logo={frame.logo} title={frame.title} />
        ) : (
          <Initial title={frame.title} />
        )}
      </a>
      {frame.tabs.length > 0 && <Tabs frame={frame} />}
      {!frame.isCopy && (
        <a class="btn find" id="~find" href={frame.search.action} aria-keyshortcuts="/">
          <Drawn name="search" />
          <bdi class="label">{words.searchPlaceholder}</bdi>
          <span class="keys" aria-hidden="true" />
        </a>
      )}
      {links && <HeaderLinks frame={frame} />}
      {drawers.outline && (
        <button
          class="btn icon when-narrow"
          type="button"
          popovertarget="~outline"
          aria-label={words.onThisPage}
        >
          <Drawn name="list" />
        </button>
      )}
      {links && (
        <button
          class="btn icon when-small"
          type="button"
          popovertarget="~links"
          aria-label={words.more}
        >
          <Drawn name="more" />
        </button>
      )}
      {frame.schemeSwitch && <SchemeMenu frame={frame} />}
    </header>
  )
}

function Initial({ title }: { title: string }) {
  return (
    <>
      <span class="initial" aria-hidden="true">
        {[...title][0]}
      </span>
      <span class="name">{title}</span>
    </>
  )
}

function Tabs({ frame }: { frame: Frame }) {
  return (
    <nav class="sections" aria-label={frame.words.sections}>
      <ul class="plain">
        {frame.tabs.map((tab, index) => (
          <li>
            {tab.children.length > 0 ? (
              <Menu
                id={`~section-${index}`}
                class={tab.current ? 'tab current' : 'tab'}
                button={
                  <>
                    <TabName tab={tab} />
                    <Drawn name="down" />
                  </>
                }
              >
                <TabLinks tabs={tab.children} />
              </Menu>
            ) : (
              <a class="tab" href={tab.href} aria-current={tab.current ? 'true' : undefined}>
                <TabName tab={tab} />
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

function TabName({ tab }: { tab: Tab }) {
  return (
    <>
      <PageIcon icon={tab.icon} />
      {tab.title}
    </>
  )
}

function TabLinks({ tabs }: { tabs: readonly Tab[] }) {
  return (
    <ul class="plain">
      {tabs.map(tab => (
        <li>
          <a href={tab.href} aria-current={tab.current ? 'true' : undefined}>
            <TabName tab={tab} />
            {tab.description && <small>{tab.description}</small>}
          </a>
          {tab.children.length > 0 && <TabLinks tabs={tab.children} />}
        </li>
      ))}
    </ul>
  )
}

/** Links and variants: in the header where there is room, and in a drawer on phones. */
function HeaderLinks({ frame }: { frame: Frame }) {
  const current = frame.variants.find(variant => variant.current) ?? frame.variants[0]
  return (
    <nav class="links" id="~links" popover="auto" aria-label={frame.words.links}>
      {frame.header.map((item, index) => (
        <HeaderEntry item={item} id={`~link-${index}`} />
      ))}
      {current && (
        <Menu
          id="~variants"
          button={
            <>
              <span class="sr">{frame.words.variants}: </span>
              {current.title}
              <Drawn name="down" />
            </>
          }
        >
          <Links links={frame.variants} />
        </Menu>
      )}
    </nav>
  )
}

const looks = { link: 'quiet', 'button-primary': 'btn primary', 'button-secondary': 'btn' } as const

function HeaderEntry({ item, id }: { item: HeaderItem; id: string }) {
  const look = looks[item.style]
  if (item.links.length === 0)
    return item.href ? (
      <a class={look} href={item.href} rel={relOf({ ...item, href: item.href })}>
        {item.title}
      </a>
    ) : null

  return (
    <Menu
      id={id}
      class={look}
      button={
        <>
          {item.title}
          <Drawn name="down" />
        </>
      }
    >
      <Links
        links={item.href ? [{ title: item.title, href: item.href }, ...item.links] : item.links}
      />
    </Menu>
  )
}

function SchemeMenu({ frame: { words } }: { frame: Frame }) {
  const schemes = [
    ['auto', words.themeSystem],
    ['light', words.themeLight],
    ['dark', words.themeDark],
  ]
  return (
    <div class="with-script">
      <Menu id="~schemes" class="btn icon" label={words.theme} button={<Drawn name="theme" />}>
        {schemes.map(([scheme, title]) => (
          <button type="button" data-scheme={scheme} aria-pressed="false">
            {title}
          </button>
        ))}
      </Menu>
    </div>
  )
}
