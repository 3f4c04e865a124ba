/** HTML as `content/html` writes it: every block once, for pictures and checks. */
export const sampleText = `
<p>Fluentd collects events from <strong>many sources</strong> and writes them to files, RDBMS, NoSQL and <a href="/other">other places</a>. The logs are located at <code>/var/log/td-agent/td-agent.log</code>.<sup><a id="ref-1" href="#note-1">1</a></sup></p>
<h2 id="look-at-logs">Look at logs<a class="anchor" href="#look-at-logs" aria-label="Link to this heading"></a></h2>
<p>If things are not happening as expected, please first look at your logs. Press <kbd>Ctrl</kbd> + <kbd>C</kbd> to stop, then start again with <em>verbose</em> logging, as <a href="/logging">the article on logging</a> describes in more detail.</p>
<figure class="code"><figcaption>td-agent.conf</figcaption><pre tabindex="0"><code><span class="hljs-section">&lt;source&gt;</span>
  <span class="hljs-attr">@type</span> forward
  <span class="hljs-attr">port</span> <span class="hljs-number">24224</span>
<span class="hljs-section">&lt;/source&gt;</span>
<span class="hljs-comment"># A very long line that does not fit the column and has to be scrolled sideways within its block: it goes on and on</span></code></pre></figure>
<figure class="code numbered"><figcaption>server.ts</figcaption><pre tabindex="0"><code><span class="line"><span class="hljs-keyword">import</span> express <span class="hljs-keyword">from</span> <span class="hljs-string">'express'</span></span>
<mark><span class="line"><span class="hljs-keyword">const</span> app = <span class="hljs-title">express</span>()</span></mark>
<span class="line">app.<span class="hljs-title">listen</span>(<span class="hljs-number">3000</span>)</span></code></pre></figure>
<div class="hint info" role="note"><p>A hint that <a href="/x">informs</a>: the default port is 24224.</p></div>
<div class="hint success" role="note"><p>A hint about success.</p></div>
<div class="hint warning" role="note"><h3 id="careful">Be careful<a class="anchor" href="#careful" aria-label="Link to this heading"></a></h3><p>Restarting loses what is buffered in memory.</p></div>
<div class="hint danger" role="note"><p>Never delete the <code>pos_file</code>.</p></div>
<h3 id="install">Install<a class="anchor" href="#install" aria-label="Link to this heading"></a></h3>
<div class="tabs"><details name="tabs-1" open><summary>npm</summary><div><figure class="code"><pre tabindex="0"><code>npm install fluent-logger</code></pre></figure></div></details><details name="tabs-1"><summary>yarn</summary><div><p>The same with yarn:</p><figure class="code"><pre tabindex="0"><code>yarn add fluent-logger</code></pre></figure></div></details><details name="tabs-1"><summary>pnpm</summary><div><p>And with pnpm.</p></div></details></div>
<div class="tabs"><details name="tabs-2" open><summary>npm</summary><div><p>Start with <code>npm start</code>.</p></div></details><details name="tabs-2"><summary>yarn</summary><div><p>Start with <code>yarn start</code>.</p></div></details></div>
<details><summary>What is a buffer?</summary><p>Chunks of events that wait for their output.</p></details>
<details open><summary>And what is a tag?</summary><p>The name by which events are routed.</p></details>
<h2 id="first-steps">First steps<a class="anchor" href="#first-steps" aria-label="Link to this heading"></a></h2>
<ol class="steps"><li><h3 id="step-1">Write a configuration<a class="anchor" href="#step-1" aria-label="Link to this heading"></a></h3><p>Any text editor will do.</p></li><li><h3 id="step-2">Start the server<a class="anchor" href="#step-2" aria-label="Link to this heading"></a></h3><p>It prints its address.</p><figure class="code"><pre tabindex="0"><code>fluentd -c fluent.conf</code></pre></figure></li><li><h3 id="step-3">Send an event<a class="anchor" href="#step-3" aria-label="Link to this heading"></a></h3><p>Done.</p></li></ol>
<div class="columns"><div><p>A column of text beside another one, as wide as the page allows.</p></div><div><p>The second column. On phones it stands below the first one.</p></div></div>
<ul class="cards"><li><a href="/a"><strong>Inputs</strong><p>Where events come from.</p></a></li><li><a href="/b"><strong>Filters</strong><p>What happens to them.</p></a></li><li><a href="/c"><strong>Outputs</strong><p>Where they go.</p></a></li></ul>
<h2 id="text">Text and lists<a class="anchor" href="#text" aria-label="Link to this heading"></a></h2>
<ul><li>One</li><li>Two with <del>old</del> words<ul><li>Two and a half</li></ul></li><li>Three</li></ul>
<ol><li>First</li><li>Second</li></ol>
<ul class="tasks"><li><input type="checkbox" disabled checked aria-label="done">Read the logs</li><li><input type="checkbox" disabled aria-label="to do">Understand them</li></ul>
<blockquote><p>Everything should be made as simple as possible, but not simpler.</p></blockquote>
<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col">Setting</th><th scope="col">Default</th><th scope="col">What it does</th></tr></thead><tbody><tr><td><code>flush_interval</code></td><td>60s</td><td>How long events wait before they are written</td></tr><tr><td><code>chunk_limit_size</code></td><td>8MB</td><td>The largest chunk of a buffer</td></tr></tbody></table></div>
<p>Inline <math><mi>a</mi><mo>+</mo><mi>b</mi></math> and a block:</p>
<math display="block"><mrow><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup><mo>+</mo><mn>1</mn><mo>=</mo><mn>0</mn></mrow></math>
<figure><img src="/picture.svg" alt="A picture" width="640" height="240" decoding="async" loading="lazy"><figcaption>Events on their way</figcaption></figure>
<p><a class="button" href="/start">Get started</a> <a class="button secondary" href="/more">Learn more</a></p>
<a class="card file" href="/files/manual.pdf" download>manual.pdf<small>PDF, 1.2 MB</small></a>
<a class="card" href="/page">Troubleshooting<small>What to do when events are missing</small></a>
<hr>
<article class="update"><time datetime="2026-03-12">12 March 2026</time><h3 id="release">Release 1.17<a class="anchor" href="#release" aria-label="Link to this heading"></a></h3><p>Buffers are faster.</p></article>
<section class="notes" aria-label="Footnotes"><ol><li id="note-1">On Windows it is elsewhere. <a href="#ref-1" aria-label="Back to the text">↩</a></li></ol></section>`

/** A text with every kind of mark, as a change request shows it. */
export const sampleMarks = `
<div class="change edited" id="change-1"><span class="hidden">edited</span><p>Run <del>npm i</del> <ins>npm ci</ins> and start it.</p></div>
<h2 id="next">Next<a class="anchor" href="#next" aria-label="Link to this heading"></a></h2>
<div class="change added" id="change-2"><span class="hidden">added</span><p>Then open the address it prints.</p></div>
<div class="change removed" id="change-3"><span class="hidden">removed</span><p>Old words that are gone.</p></div>
<ul><li>Stays</li><li class="change added" id="change-4"><span class="hidden">added</span>Comes</li></ul>
<div class="change moved" id="change-5"><span class="hidden">moved</span><p>Stood elsewhere.</p></div>
<div class="change edited" id="change-6"><span class="hidden">edited</span><figure class="code"><pre tabindex="0"><code>first line
<del>second line
</del><ins>another line
</ins>third line</code></pre></figure></div>
<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><tbody><tr class="change added" id="change-7"><td>New</td><td>row</td></tr><tr><td>Old</td><td>row</td></tr></tbody></table></div>`
