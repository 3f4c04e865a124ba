import mermaid from 'mermaid'

// The script of the frame that draws one diagram. Its document has an origin of its own, and gets
// the source from the page.

type Order = { source: string; dark: boolean }

const root = document.documentElement
const fontFamily = 'ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif'

const tell = (message: unknown): void => parent.postMessage(message, '*')

async function draw({ source, dark }: Order): Promise<void> {
  root.style.colorScheme = dark ? 'dark' : 'light'
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'default',
    fontFamily,
    themeVariables: { fontFamily },
  })

  try {
    const { svg } = await mermaid.render('diagram', source)
    document.body.innerHTML = svg
    // Drawings are as wide as the frame at most: the height follows.
    tell({ height: Math.ceil(document.body.getBoundingClientRect().height) })
  } catch {
    tell({ height: 0 })
  }
}

let drawing = Promise.resolve()
addEventListener('message', ({ source, data }) => {
  if (source === parent) drawing = drawing.then(() => draw(data as Order))
})
new ResizeObserver(() => {
  const { height } = document.body.getBoundingClientRect()
  if (height > 0) tell({ height: Math.ceil(height) })
}).observe(document.body)
tell('ready')
