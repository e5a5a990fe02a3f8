/** Made of `ui/` by `npm run build:console`; not to be edited. */

/** The page, with `{{token}}`, `{{name}}`, `{{version}}` and `{{boot}}` to be filled. */
export const PAGE: string = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <meta name="dev-token" content="{{token}}" />
    <meta name="dev-name" content="{{name}}" />
    <meta name="dev-version" content="{{version}}" />
    <meta name="dev-boot" content="{{boot}}" />
    <link
      rel="icon"
      href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%233c66dd'/%3E%3Cpath d='M4 5l3 3-3 3M8.5 11H12' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E"
    />
    <title>{{name}} /__dev__</title>
    <script type="module" src="/__dev__/page.js" integrity="sha256-Z3/96ztG0XqXKtM5y/MxHj1ZizChfv2MIWkZWsm+1U0="></script>
    <script type="module" src="/__dev__/views.js" integrity="sha256-D6srVEDsSsJEmJ/4GgH46DNsktRH67/fYSQqqmITt/E="></script>
    <style>
:root {
	color-scheme: light dark;
	--font: system-ui, sans-serif;
	--mono: ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace;
	--r-1: 4px;
	--r-2: 6px;
	--r-3: 10px;
	--row: 30px;

	--bg: light-dark(#f6f7f9, #0d0f13);
	--surface: light-dark(#ffffff, #13161b);
	--sunken: light-dark(#f1f3f6, #0f1216);
	--hover: light-dark(#f3f5f9, #191d24);
	--sel: var(--accent-weak);
	--line: light-dark(#e3e6eb, #232831);
	--line-2: light-dark(#cfd4dc, #343b47);
	--text: light-dark(#171a20, #e7eaf0);
	--text-2: light-dark(#4a515e, #aeb6c4);
	--text-3: light-dark(#5f6775, #8f98a8);
	--accent: light-dark(#2f55d4, #8aa6ff);
	--accent-weak: color-mix(in srgb, var(--accent) 12%, var(--surface));
	--on-accent: light-dark(#ffffff, #0b0f1c);
	--shade: light-dark(rgb(16 24 40 / 12%), rgb(0 0 0 / 55%));
	--shadow: 0 1px 2px var(--shade), 0 10px 32px var(--shade);

	--ok: light-dark(#18794e, #56c98d);
	--info: light-dark(#1f6a8c, #6fc0e0);
	--info-weak: color-mix(in srgb, var(--g-info) 16%, var(--surface));
	--warn: light-dark(#8a4f00, #eeb458);
	--warn-weak: color-mix(in srgb, var(--g-warn) 16%, var(--surface));
	--bad: light-dark(#bf2633, #ff858b);
	--bad-weak: color-mix(in srgb, var(--g-bad) 14%, var(--surface));
	--note: light-dark(#6a3fb5, #bda0ff);
	--note-weak: color-mix(in srgb, var(--p-validate) 15%, var(--surface));

	--g-ok: #44a376;
	--g-info: #4a97ba;
	--g-warn: #d89833;
	--g-bad: #e55962;
	--g-none: light-dark(#8a93a3, #6b7585);

	--p-route: var(--g-none);
	--p-guards: #c77c9e;
	--p-readBody: #659dde;
	--p-validate: #9c81dc;
	--p-providers: #cca04f;
	--p-handler: #4a70e6;
	--p-serialize: #3eaa8c;
	--p-send: #99bb61;
	--p-call: #54acbf;
	--p-query: #d2805c;
	--p-rest: var(--line-2);
}
:root[data-theme='light'] {
	color-scheme: light;
}
:root[data-theme='dark'] {
	color-scheme: dark;
}

*,
*::before,
*::after {
	box-sizing: border-box;
}
* {
	scrollbar-width: thin;
	scrollbar-color: var(--line-2) transparent;
}
[hidden] {
	display: none !important;
}
html,
body {
	height: 100%;
	margin: 0;
}
body {
	overflow: hidden;
	background: var(--bg);
	color: var(--text);
	font: 13px/1.45 var(--font);
	-webkit-font-smoothing: antialiased;
}
.unloaded {
	display: none;
	padding: 24px;
}
@media (scripting: enabled) {
	.unloaded {
		display: block;
		animation: unload 2s steps(1);
	}
	@keyframes unload {
		from {
			visibility: hidden;
		}
	}
}
h1,
h2,
h3,
p,
dl,
dd,
ol,
ul {
	margin: 0;
	padding: 0;
}
h1,
h2,
h3 {
	font-size: inherit;
}
ul,
ol {
	list-style: none;
}
button,
input,
select,
textarea {
	font: inherit;
	color: inherit;
}
button {
	padding: 0;
	border: 0;
	background: none;
	cursor: pointer;
}
a {
	color: inherit;
	text-decoration: none;
}
a,
b,
code,
small,
span {
	unicode-bidi: isolate;
}
.link {
	text-align: inherit;
	color: var(--accent);
	text-decoration: underline;
	text-decoration-color: color-mix(in srgb, var(--accent) 40%, transparent);
	text-underline-offset: 2px;
}
.link:hover {
	text-decoration-color: currentColor;
}
code,
kbd,
.mono {
	font-family: var(--mono);
	font-size: 0.94em;
	font-variant-ligatures: none;
}
.num {
	font-variant-numeric: tabular-nums;
}
.dim {
	color: var(--text-3);
}
.sub {
	color: var(--text-2);
}
.red {
	color: var(--text-3);
	font-style: italic;
}
:focus-visible {
	outline: 2px solid var(--accent);
	outline-offset: 2px;
	border-radius: var(--r-1);
}
main:focus-visible {
	outline: 0;
}
:is([tabindex='0'], [role='tab'], .seg button, .tree a, .k-p a):focus-visible {
	outline-offset: -2px;
}
::selection {
	background: color-mix(in srgb, var(--accent) 28%, transparent);
}
.vh {
	position: absolute;
	width: 1px;
	height: 1px;
	overflow: hidden;
	clip-path: inset(50%);
	white-space: nowrap;
}
.skip {
	position: fixed;
	left: 8px;
	top: -60px;
	z-index: 50;
}
.skip:focus {
	top: 8px;
}
svg.i {
	width: 16px;
	height: 16px;
	flex: none;
	fill: none;
	stroke: currentColor;
	stroke-width: 1.5;
	stroke-linecap: round;
	stroke-linejoin: round;
}
table {
	width: 100%;
	border-collapse: collapse;
}
noscript p {
	padding: 24px;
}

.btn {
	display: inline-flex;
	align-items: center;
	justify-content: center;
	gap: 6px;
	height: 28px;
	padding: 0 10px;
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: var(--surface);
	color: var(--text-2);
	font-size: 12px;
	font-weight: 500;
	white-space: nowrap;
}
.btn:hover {
	border-color: var(--line-2);
	background: var(--hover);
	color: var(--text);
}
.btn:active {
	background: var(--sunken);
}
.btn.icon {
	width: 28px;
	padding: 0;
	flex: none;
}
.btn.ghost {
	border-color: transparent;
	background: none;
}
.btn.ghost:hover {
	background: var(--hover);
}
.btn.primary {
	border-color: var(--accent);
	background: var(--accent);
	color: var(--on-accent);
}
.btn.primary:hover {
	filter: brightness(1.07);
}
.btn[aria-pressed='true'] {
	border-color: color-mix(in srgb, var(--warn) 40%, transparent);
	background: var(--warn-weak);
	color: var(--warn);
}
kbd {
	display: inline-block;
	height: 17px;
	min-width: 17px;
	padding: 0 4px;
	border: 1px solid var(--line);
	border-radius: var(--r-1);
	background: var(--sunken);
	color: var(--text-3);
	font-size: 10.5px;
	line-height: 15px;
	text-align: center;
}
.bar {
	display: flex;
	flex: none;
	align-items: center;
	gap: 8px;
	min-height: 46px;
	padding: 8px 12px;
	border-bottom: 1px solid var(--line);
	background: var(--surface);
}
.field {
	position: relative;
	display: flex;
	flex: 1;
	align-items: center;
	min-width: 120px;
}
.field > svg {
	position: absolute;
	left: 9px;
	color: var(--text-3);
	pointer-events: none;
}
.field > kbd {
	position: absolute;
	right: 7px;
	pointer-events: none;
}
.field:focus-within > kbd {
	display: none;
}
.field input {
	width: 100%;
	height: 30px;
	padding: 0 30px 0 31px;
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: var(--sunken);
	font-family: var(--mono);
	font-size: 12px;
	text-overflow: ellipsis;
}
.field input::placeholder {
	color: var(--text-3);
	opacity: 1;
}
.field input:focus,
.in:focus {
	outline: 2px solid color-mix(in srgb, var(--accent) 70%, transparent);
	outline-offset: -1px;
	background: var(--surface);
}
.field input[aria-invalid='true'] {
	border-color: var(--bad);
}
.field-pop {
	position: absolute;
	top: calc(100% + 5px);
	left: 0;
	z-index: 12;
	display: grid;
	justify-items: start;
	gap: 4px;
	max-width: 100%;
}
.suggest {
	display: grid;
	max-width: 100%;
	padding: 4px;
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: var(--surface);
	box-shadow: var(--shadow);
}
.suggest:empty,
.field:not(:focus-within) .suggest {
	display: none;
}
.suggest button {
	padding: 4px 8px;
	border-radius: var(--r-1);
	font: 12px/1.4 var(--mono);
	text-align: left;
	overflow-wrap: anywhere;
}
.suggest button:is(:hover, :focus-visible) {
	background: var(--hover);
}
.suggest small {
	color: var(--text-3);
}
.field-err {
	max-width: 100%;
	padding: 5px 10px;
	border: 1px solid color-mix(in srgb, var(--bad) 35%, transparent);
	border-radius: var(--r-2);
	background: var(--surface);
	box-shadow: var(--shadow);
	color: var(--bad);
	font-size: 12px;
	overflow-wrap: anywhere;
}
.seg {
	display: flex;
	flex: none;
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: var(--surface);
	overflow: hidden;
}
.seg button {
	display: flex;
	align-items: center;
	gap: 5px;
	height: 28px;
	padding: 0 9px;
	border-left: 1px solid var(--line);
	color: var(--text-2);
	font-size: 12px;
	font-weight: 500;
	font-variant-numeric: tabular-nums;
	white-space: nowrap;
}
.seg button:first-child {
	border-left: 0;
}
.seg button:hover {
	background: var(--hover);
}
.seg button[aria-pressed='true'] {
	background: var(--sel);
	color: var(--text);
}
.seg small {
	color: var(--text-3);
	font-size: 11px;
}
.seg :is(.s4, .s5) {
	font-weight: 600;
}
.tag {
	display: inline-block;
	padding: 0 5px;
	border-radius: var(--r-1);
	background: var(--sunken);
	color: var(--text-2);
	font-size: 10.5px;
	font-weight: 600;
	line-height: 16px;
	white-space: nowrap;
}
:is(.tag, .banner).warn,
.warn > .ic {
	background: var(--warn-weak);
	color: var(--warn);
}
:is(.tag, .banner).bad,
.bad > .ic {
	background: var(--bad-weak);
	color: var(--bad);
}
:is(.tag, .banner).note,
.note > .ic {
	background: var(--note-weak);
	color: var(--note);
}
.tag.ok {
	background: color-mix(in srgb, var(--g-ok) 16%, var(--surface));
	color: var(--ok);
}
.tag.info {
	background: var(--info-weak);
	color: var(--info);
}
.st {
	display: inline-flex;
	align-items: center;
	gap: 6px;
	font: 600 12px/1.4 var(--mono);
}
.st::before {
	content: '';
	flex: none;
	width: 7px;
	height: 7px;
	border-radius: 50%;
	background: currentColor;
}
.s0 {
	color: var(--text-3);
}
.s1,
.s2 {
	color: var(--ok);
}
.s3 {
	color: var(--info);
}
.s4 {
	color: var(--warn);
}
.s5 {
	color: var(--bad);
}
.st.s0::before {
	height: 2px;
	border-radius: 0;
}
.st.s3::before {
	border: 1.5px solid currentColor;
	background: none;
}
.st.s4::before {
	border-radius: 1.5px;
}
.st.s5::before {
	width: 8px;
	border-radius: 0;
	clip-path: polygon(50% 0, 100% 100%, 0 100%);
}
.m {
	color: var(--text-2);
	font: 600 11.5px/1.4 var(--mono);
}
.m.w {
	color: var(--note);
}
.m.d {
	color: var(--bad);
}
.pth {
	font-family: var(--mono);
	font-size: 12px;
}
.q {
	color: var(--text-3);
}
.pv {
	color: var(--accent);
}
.menu > div {
	position: absolute;
	top: calc(100% + 4px);
	right: 0;
	z-index: 20;
	min-width: 200px;
	padding: 5px;
	border: 1px solid var(--line-2);
	border-radius: var(--r-3);
	background: var(--surface);
	box-shadow: var(--shadow);
}
.menu > div > button,
.menu > div > a {
	display: flex;
	justify-content: space-between;
	gap: 18px;
	width: 100%;
	padding: 6px 9px;
	border-radius: var(--r-1);
	font-size: 12.5px;
}
.menu > div > :hover {
	background: var(--hover);
}
dialog {
	width: min(620px, calc(100vw - 24px));
	max-height: min(640px, calc(100dvh - 40px));
	padding: 0;
	border: 1px solid var(--line-2);
	border-radius: 12px;
	background: var(--surface);
	box-shadow: var(--shadow);
	color: var(--text);
}
dialog::backdrop {
	background: rgb(10 12 16 / 40%);
}
.pal {
	margin-top: 12vh;
}
.pal input {
	width: 100%;
	height: 46px;
	padding: 0 16px;
	border: 0;
	border-bottom: 1px solid var(--line);
	outline-offset: -2px;
	background: none;
	font-size: 14px;
}
.pal ul {
	max-height: 344px;
	padding: 6px;
	overflow: auto;
}
.pal li {
	display: flex;
	align-items: center;
	gap: 10px;
	padding: 7px 10px;
	border-radius: var(--r-2);
	cursor: pointer;
}
.pal li > span {
	min-width: 0;
	overflow: hidden;
	text-overflow: ellipsis;
	white-space: nowrap;
}
.pal li:hover {
	background: var(--hover);
}
.pal li[aria-selected='true'] {
	background: var(--sel);
}
.pal svg {
	color: var(--text-3);
}
.pal small {
	flex: none;
	margin-left: auto;
	color: var(--text-2);
}
.keys,
.ask {
	padding: 18px 20px 20px;
}
.keys h2,
.ask h2 {
	margin-bottom: 12px;
	font-size: 15px;
}
.keys dl {
	display: grid;
	grid-template-columns: repeat(2, 1fr);
	gap: 7px 28px;
}
.keys dl div {
	display: flex;
	justify-content: space-between;
	gap: 10px;
}
.keys dd {
	display: flex;
	gap: 4px;
}
.keys label {
	display: flex;
	align-items: center;
	gap: 8px;
	margin-top: 16px;
	padding-top: 14px;
	border-top: 1px solid var(--line);
}
.ask label {
	display: grid;
	gap: 4px;
	margin-top: 12px;
	color: var(--text-2);
	font: 12px/1.4 var(--mono);
}
.ask ul {
	margin: 10px 0;
	overflow-wrap: anywhere;
}
.ask .acts {
	margin: 16px 0 0;
}
.toast {
	position: fixed;
	bottom: 18px;
	left: 50%;
	z-index: 40;
	width: max-content;
	max-width: calc(100vw - 24px);
	padding: 7px 14px;
	border-radius: 16px;
	background: var(--text);
	box-shadow: var(--shadow);
	color: var(--surface);
	font-size: 12.5px;
	font-weight: 500;
	translate: -50% 0;
}
.empty {
	display: grid;
	justify-items: center;
	gap: 10px;
	padding: 48px 24px;
	color: var(--text-2);
	text-align: center;
}
.empty .code {
	text-align: left;
}
.banner {
	display: flex;
	flex: none;
	align-items: center;
	flex-wrap: wrap;
	gap: 6px 12px;
	padding: 7px 14px;
	border-bottom: 1px solid var(--line);
	background: var(--warn-weak);
	color: var(--warn);
	font-size: 12.5px;
}
.banner.note .btn {
	margin-left: auto;
}
.banner.note span {
	min-width: 0;
	overflow-wrap: anywhere;
}
.drop {
	position: fixed;
	inset: 0;
	z-index: 60;
	display: grid;
	place-content: center;
	justify-items: center;
	gap: 10px;
	padding: 24px;
	outline: 2px dashed var(--accent);
	outline-offset: -10px;
	background: color-mix(in srgb, var(--surface) 90%, transparent);
	color: var(--accent);
	font-size: 15px;
	font-weight: 600;
	text-align: center;
	pointer-events: none;
}
.drop svg {
	width: 32px;
	height: 32px;
}
.ask :is(h2, p) {
	overflow-wrap: anywhere;
}

.app {
	display: grid;
	grid-template: 48px auto minmax(0, 1fr) / 196px minmax(0, 1fr);
	grid-template-areas: 'top top' 'nav status' 'nav main';
	height: 100dvh;
	min-height: 480px;
}
.top {
	grid-area: top;
	display: flex;
	align-items: center;
	gap: 10px;
	min-width: 0;
	padding: 0 12px 0 16px;
	border-bottom: 1px solid var(--line);
	background: var(--surface);
}
.status {
	grid-area: status;
	min-width: 0;
}
.main {
	grid-area: main;
	display: flex;
	flex-direction: column;
	min-width: 0;
	min-height: 0;
	container: main / inline-size;
}
.brand {
	display: flex;
	align-items: center;
	gap: 9px;
	min-width: 0;
	font-weight: 600;
}
.brand > span {
	overflow: hidden;
	text-overflow: ellipsis;
	white-space: nowrap;
}
.brand .glyph {
	display: grid;
	flex: none;
	place-items: center;
	width: 22px;
	height: 22px;
	border-radius: 6px;
	background: var(--text);
	color: var(--surface);
}
.glyph svg {
	width: 14px;
	height: 14px;
	stroke-width: 2;
}
.brand .path {
	color: var(--text-3);
	font: 500 12px var(--mono);
}
.top .sp {
	flex: 1;
}
.live {
	display: inline-flex;
	align-items: center;
	gap: 8px;
	height: 28px;
	padding: 0 10px;
	border: 1px solid var(--line);
	border-radius: 999px;
	color: var(--text-2);
	font-size: 12px;
	white-space: nowrap;
}
.live b {
	color: var(--text);
	font-weight: 600;
}
.live .dot {
	width: 7px;
	height: 7px;
	border-radius: 50%;
	background: var(--g-none);
}
.live[data-state='live'] .dot {
	background: var(--g-ok);
}
.live:is([data-state='paused'], [data-state='polling'], [data-state='restarting']) .dot {
	background: var(--g-warn);
}
.live[data-state='lost'] .dot {
	background: var(--g-bad);
}
.nav {
	grid-area: nav;
	display: flex;
	flex-direction: column;
	min-height: 0;
	padding: 10px 8px;
	border-right: 1px solid var(--line);
	background: var(--surface);
	overflow: auto;
}
.nav a {
	display: flex;
	flex: none;
	align-items: center;
	gap: 9px;
	height: 32px;
	padding: 0 9px;
	border-radius: var(--r-2);
	color: var(--text-2);
	font-weight: 500;
}
.nav a:hover {
	background: var(--hover);
	color: var(--text);
}
.nav a[aria-current='page'] {
	background: var(--sel);
	color: var(--text);
}
.nav a[aria-current='page'] svg {
	color: var(--accent);
}
.nav .ct {
	margin-left: auto;
	color: var(--text-3);
	font-size: 11px;
	font-variant-numeric: tabular-nums;
}
.nav a[aria-current='page'] .ct {
	color: var(--text-2);
}
.nav .ct.bad {
	padding: 0 6px;
	border-radius: 999px;
	background: var(--bad-weak);
	color: var(--bad);
	font-weight: 600;
	line-height: 17px;
}
.foot {
	display: grid;
	gap: 9px;
	margin-top: auto;
	padding: 16px 9px 2px;
	color: var(--text-3);
	font-size: 11px;
}
.foot .row {
	display: flex;
	justify-content: space-between;
	gap: 8px;
}
.foot .proc {
	display: flex;
	align-items: center;
	gap: 7px;
	color: var(--text-2);
}
.proc i {
	width: 6px;
	height: 6px;
	border-radius: 50%;
	background: var(--g-ok);
}
.meter {
	height: 3px;
	margin-top: 4px;
	border-radius: 2px;
	background: var(--line);
	overflow: hidden;
}
.meter span {
	display: block;
	width: var(--v);
	height: 100%;
	background: var(--text-3);
}
.main-in {
	display: flex;
	flex: 1;
	flex-direction: column;
	min-height: 0;
}

.split {
	display: grid;
	flex: 1;
	grid-template: minmax(0, 1fr) / minmax(0, 1fr);
	min-height: 0;
}
.split.open {
	grid-template-columns: minmax(0, 46fr) minmax(0, 54fr);
}
.pane {
	display: flex;
	flex-direction: column;
	min-width: 0;
	min-height: 0;
	background: var(--surface);
}
.pane.list {
	position: relative;
	container: list / inline-size;
}
.pane.detail {
	border-left: 1px solid var(--line);
}
.strip {
	flex: none;
	height: 84px;
	border-bottom: 1px solid var(--line);
}
.strip svg,
.chart svg,
.ctx svg {
	display: block;
	width: 100%;
	height: 100%;
}
.strip .mark {
	cursor: pointer;
}
.axis {
	fill: var(--text-3);
	font: 10px var(--font);
	font-variant-numeric: tabular-nums;
}
.axis.strong {
	fill: var(--text-2);
	font-weight: 600;
}
.axis.halo {
	stroke: var(--surface);
	stroke-width: 5px;
	stroke-linejoin: round;
	paint-order: stroke;
}
.grid-l {
	stroke: var(--line);
	stroke-width: 1;
	shape-rendering: crispEdges;
}
.flood {
	flex: none;
	padding: 5px 14px;
	border-bottom: 1px solid var(--line);
	background: var(--warn-weak);
	color: var(--warn);
	font-size: 12px;
}
.scroll-box {
	position: relative;
	display: flex;
	flex: 1;
	flex-direction: column;
	min-height: 0;
}
.scroll {
	flex: 1;
	min-height: 0;
	overflow: auto;
	overflow-anchor: none;
}
.rt {
	table-layout: fixed;
}
.rt th {
	position: sticky;
	top: 0;
	z-index: 2;
	height: 27px;
	padding: 0 8px;
	background: var(--surface);
	box-shadow: inset 0 -1px 0 var(--line);
	color: var(--text-3);
	font-size: 11px;
	font-weight: 500;
	text-align: left;
	white-space: nowrap;
}
.rt td {
	height: var(--row);
	padding: 0 8px;
	border-bottom: 1px solid color-mix(in srgb, var(--line) 55%, transparent);
	overflow: hidden;
	text-overflow: ellipsis;
	white-space: nowrap;
}
.rt :is(th, td):first-child {
	padding-left: 14px;
}
.rt :is(th, td):last-child {
	padding-right: 14px;
}
.rt .gap td {
	height: var(--h);
	padding: 0;
	border: 0;
}
.rt .row:hover {
	background: var(--hover);
}
.rt .row.sel {
	background: var(--sel);
	box-shadow: inset 2px 0 0 var(--accent);
}
.rt .row.old :is(td, .pth, .pv, .q, .m) {
	color: var(--text-3);
}
.rt .row.old svg {
	opacity: 0.5;
}
.rt .r {
	text-align: right;
}
.rt .divider {
	position: relative;
}
.rt .divider td {
	border-bottom: 0;
	color: var(--text-3);
	font-size: 11px;
	text-align: center;
}
.rt .divider span {
	position: absolute;
	inset: 0;
	padding: 0 14px;
	display: flex;
	align-items: center;
	gap: 12px;
}
.rt .divider span::before,
.rt .divider span::after {
	content: '';
	flex: 1;
	height: 1px;
	background: var(--line-2);
}
.k-p > span {
	display: flex;
	align-items: baseline;
	line-height: 18px;
	gap: 8px;
	min-width: 0;
}
.k-p a {
	min-width: 0;
	overflow: hidden;
	text-overflow: ellipsis;
}
.k-p a:focus-visible {
	outline-offset: -1px;
}
.flags {
	display: inline-flex;
	flex: none;
	gap: 4px;
}
td.k-h {
	font-family: var(--mono);
	font-size: 11.5px;
}
.k-b svg {
	display: block;
	width: 100%;
	height: 8px;
}
.c-st {
	width: 70px;
}
.c-m {
	width: 72px;
}
.c-h {
	width: 172px;
}
.c-b {
	width: 232px;
}
.c-d {
	width: 84px;
}
.c-sz {
	width: 78px;
}
.c-w {
	width: 116px;
}
@container list (max-width: 1120px) {
	.c-b {
		width: 140px;
	}
}
@container list (max-width: 900px) {
	.rt .k-sz,
	.k-w .fr {
		display: none;
	}
	.c-h {
		width: 150px;
	}
	.c-w {
		width: 88px;
	}
}
@container list (max-width: 780px) {
	.rt .k-h {
		display: none;
	}
}
@container list (max-width: 700px) {
	.rt .k-b {
		display: none;
	}
}
@container list (max-width: 520px) {
	.rt :is(.c-w, .k-w) {
		display: none;
	}
}
.pill-new {
	position: absolute;
	top: 36px;
	left: 50%;
	z-index: 5;
	display: inline-flex;
	align-items: center;
	gap: 5px;
	padding: 4px 12px 4px 8px;
	border-radius: 999px;
	background: var(--accent);
	box-shadow: var(--shadow);
	color: var(--on-accent);
	font-size: 12px;
	font-weight: 600;
	translate: -50% 0;
}

.dh {
	flex: none;
	padding: 11px 16px 0;
	border-bottom: 1px solid var(--line);
}
.dh .t {
	display: flex;
	align-items: flex-start;
	gap: 8px;
}
.dh .icon {
	margin: -4px 0 0 -8px;
}
.dh.cut h2 {
	display: -webkit-box;
	-webkit-box-orient: vertical;
	-webkit-line-clamp: 3;
	line-clamp: 3;
	overflow: hidden;
}
.dh h2 {
	flex: 1;
	font: 600 14px/1.5 var(--mono);
	overflow-wrap: anywhere;
}
h2 .m {
	font-size: inherit;
}
.dh h2:focus-visible {
	outline-offset: 4px;
}
.facts {
	display: flex;
	align-items: center;
	flex-wrap: wrap;
	gap: 4px 16px;
	margin: 5px 0 10px;
	color: var(--text-2);
	font-size: 12px;
}
.acts {
	position: relative;
	display: flex;
	flex-wrap: wrap;
	align-items: center;
	width: fit-content;
	gap: 6px;
	margin-bottom: 10px;
}
.tabs {
	display: flex;
	margin: 0 -7px;
	overflow-x: auto;
	scrollbar-width: none;
}
.tabs [role='tab'] {
	display: flex;
	align-items: center;
	gap: 6px;
	height: 32px;
	padding: 0 8px;
	border-bottom: 2px solid transparent;
	color: var(--text-2);
	font-weight: 500;
	white-space: nowrap;
}
.tabs [role='tab']:hover {
	color: var(--text);
}
.tabs [aria-selected='true'] {
	border-color: var(--accent);
	color: var(--text);
}
.tabs small {
	color: var(--text-3);
	font-size: 11px;
	font-variant-numeric: tabular-nums;
}
.tabs small.bad {
	color: var(--bad);
	font-weight: 600;
}
.tabs small.warn {
	color: var(--warn);
	font-weight: 600;
}
.db {
	display: flex;
	flex: 1;
	flex-direction: column;
	gap: 18px;
	min-height: 0;
	padding: 14px 16px 28px;
	overflow: auto;
}
.db > * {
	flex: none;
}
.sec > h3 {
	display: flex;
	align-items: center;
	gap: 8px;
	margin-bottom: 7px;
	font-size: 12px;
	font-weight: 600;
}
.sec > h3 .r {
	margin-left: auto;
	color: var(--text-3);
	font-weight: 400;
	text-align: right;
}
.kv {
	display: grid;
	grid-template-columns: minmax(92px, 132px) minmax(0, 1fr);
	gap: 4px 14px;
	font-size: 12.5px;
}
.kv dt {
	color: var(--text-3);
	overflow-wrap: anywhere;
}
.kv dd {
	overflow-wrap: anywhere;
}
.two {
	display: flex;
	align-items: baseline;
	flex-wrap: wrap;
	gap: 0 10px;
}
.two .num,
.sec > h3 .num {
	white-space: nowrap;
}
.kv.hd {
	grid-template-columns: fit-content(45%) minmax(0, 1fr);
}
.kv.hd :is(dt, dd) {
	font: 12px/1.5 var(--mono);
}
.kv.hd dt {
	color: var(--text-2);
}
.call {
	display: grid;
	gap: 3px;
	padding: 9px 12px;
	border: 1px solid var(--line);
	border-left: 3px solid var(--c);
	border-radius: var(--r-2);
	background: color-mix(in srgb, var(--c) 5%, var(--surface));
	overflow-wrap: anywhere;
}
:is(.call, .pb).bad {
	--c: var(--g-bad);
}
:is(.call, .pb).warn {
	--c: var(--g-warn);
}
:is(.call, .pb).note {
	--c: var(--p-validate);
}
.call b {
	font-weight: 600;
}
.wf {
	display: grid;
	grid-template-columns: fit-content(44%) minmax(60px, 1fr) max-content;
	gap: 0 12px;
	font-size: 12px;
}
.wf > li {
	position: relative;
	display: grid;
	grid-column: 1 / -1;
	grid-template: 24px auto / subgrid;
}
.wf > li > * {
	display: flex;
	align-items: center;
	min-width: 0;
}
.wf .lb {
	gap: 8px;
	color: var(--text-2);
}
.wf .lb span {
	overflow: hidden;
	text-overflow: ellipsis;
	white-space: nowrap;
}
.wf .lb i {
	flex: none;
	width: 8px;
	height: 8px;
	border-radius: 2px;
	background: var(--c);
}
.wf .n .lb {
	padding-left: calc(16px + var(--d) * 14px);
	color: var(--text-3);
	font: 11.5px var(--mono);
}
.tr {
	position: relative;
	border-left: 1px solid var(--line);
	background: linear-gradient(90deg, transparent calc(100% - 1px), var(--line) 0) 0 0 / 25%;
}
.tr span {
	position: absolute;
	left: var(--x);
	width: max(2px, var(--w));
	max-width: calc(100% - var(--x) + 1px);
	height: 11px;
	border-radius: 2px;
	background: var(--c);
}
.wf .n .tr span {
	height: 7px;
}
.wf .v {
	justify-content: flex-end;
	font-variant-numeric: tabular-nums;
}
.wf .v em {
	width: 42px;
	color: var(--text-3);
	font-style: normal;
	text-align: right;
}
.phasebar {
	display: flex;
	gap: 1px;
	height: 8px;
	border-radius: 4px;
	background: var(--line);
	overflow: hidden;
}
.phasebar span {
	flex: var(--f) 0 0;
	min-width: 1px;
	background: var(--c);
}
.ctx {
	height: 64px;
}
.simple {
	font-size: 12.5px;
}
.simple th {
	padding: 4px 10px 4px 0;
	border-bottom: 1px solid var(--line);
	color: var(--text-3);
	font-size: 11px;
	font-weight: 500;
	text-align: left;
	white-space: nowrap;
}
.simple td {
	padding: 5px 10px 5px 0;
	border-bottom: 1px solid color-mix(in srgb, var(--line) 60%, transparent);
	vertical-align: top;
	overflow-wrap: anywhere;
}
.simple code {
	overflow-wrap: break-word;
}
.simple .r {
	padding-right: 0;
	padding-left: 10px;
	text-align: right;
	white-space: nowrap;
}
.frames li {
	display: flex;
	flex-wrap: wrap;
	gap: 6px 10px;
	padding: 4px 0;
	font: 12px/1.5 var(--mono);
	overflow-wrap: anywhere;
}
.frames li.lib {
	color: var(--text-3);
}
.frames summary {
	padding: 4px 0;
	color: var(--text-3);
	cursor: pointer;
}
.frames .sec {
	flex: 0 0 100%;
}
.cause {
	margin-left: 4px;
	padding-left: 14px;
	border-left: 2px solid var(--line-2);
	display: grid;
	gap: 14px;
}
.thrown p {
	overflow-wrap: anywhere;
}
.thrown b {
	color: var(--bad);
}

.code {
	position: relative;
	padding: 9px 12px;
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: var(--sunken);
	font: 12px/19px var(--mono);
	overflow: auto;
	tab-size: 2;
	white-space: pre;
}
.code.wrap {
	white-space: pre-wrap;
	overflow-wrap: anywhere;
}
.code.tall {
	max-height: 480px;
}
.code .ln {
	display: block;
	min-height: 19px;
	padding-left: calc(var(--d) * 2ch + 14px);
	text-indent: -14px;
}
.code .gap {
	display: block;
	height: var(--h);
}
.code .fold {
	width: 14px;
	color: var(--text-3);
	font: inherit;
	text-indent: 0;
	text-align: left;
}
.code .fold:hover {
	color: var(--text);
}
.code .pad {
	display: inline-block;
	width: 14px;
}
.t-key {
	color: var(--note);
}
.t-string {
	color: var(--ok);
}
.t-number {
	color: var(--warn);
}
.t-literal {
	color: var(--accent);
}
.t-secret {
	color: var(--text-3);
	font-style: italic;
}
.more {
	display: flex;
	align-items: center;
	flex-wrap: wrap;
	gap: 8px;
	margin-top: 7px;
	color: var(--text-3);
	font-size: 12px;
}
.src {
	padding: 6px 0;
}
.src div {
	display: grid;
	grid-template-columns: 52px 1fr;
	width: max-content;
	min-width: 100%;
	padding-right: 12px;
}
.src i {
	padding-right: 14px;
	color: var(--text-3);
	font-style: normal;
	text-align: right;
	user-select: none;
}
.src .hit {
	background: var(--bad-weak);
	box-shadow: inset 3px 0 0 var(--g-bad);
}
.src .hit i {
	color: var(--text-2);
}

.page {
	display: flex;
	flex: 1;
	flex-direction: column;
	gap: 14px;
	min-height: 0;
	padding: 14px 16px 32px;
	overflow: auto;
}
.page > * {
	flex: none;
}
.kpis {
	display: grid;
	grid-template-columns: repeat(7, minmax(0, 1fr));
	gap: 1px;
	border: 1px solid var(--line);
	border-radius: var(--r-3);
	background: var(--line);
	overflow: hidden;
}
.kpi {
	display: grid;
	gap: 1px;
	min-width: 0;
	padding: 11px 14px 10px;
	background: var(--surface);
}
.kpi dt {
	color: var(--text-2);
	font-size: 11.5px;
	white-space: nowrap;
}
.kpi dd {
	font-size: 22px;
	font-weight: 600;
	font-variant-numeric: tabular-nums;
	letter-spacing: -0.025em;
	line-height: 1.25;
	white-space: nowrap;
}
.kpi dd small {
	margin-left: 2px;
	color: var(--text-3);
	font-size: 12px;
	font-weight: 500;
	letter-spacing: 0;
}
.kpi svg {
	display: block;
	width: 100%;
	height: 22px;
	margin-top: 3px;
}
.cards {
	display: grid;
	grid-template-columns: repeat(12, minmax(0, 1fr));
	gap: 14px;
}
.card {
	display: flex;
	grid-column: span 4;
	flex-direction: column;
	min-width: 0;
	border: 1px solid var(--line);
	border-radius: var(--r-3);
	background: var(--surface);
}
.card.w6 {
	grid-column: span 6;
	align-self: start;
}
.card.w8 {
	grid-column: span 8;
}
.card.w12 {
	grid-column: span 12;
}
.card > header {
	display: flex;
	align-items: baseline;
	gap: 4px 10px;
	padding: 11px 14px 6px;
}
.card > header h2 {
	font-size: 13px;
	font-weight: 600;
	white-space: nowrap;
}
.card > header p {
	margin-left: auto;
	color: var(--text-3);
	font-size: 12px;
	text-align: right;
}
.card .pad {
	padding: 4px 14px 14px;
}
.lgd {
	margin-left: 10px;
	white-space: nowrap;
}
.lgd i {
	display: inline-block;
	width: 8px;
	height: 8px;
	margin-right: 4px;
	border-radius: 2px;
	background: var(--c);
}
.chart {
	position: relative;
	height: 190px;
	padding: 0 6px 8px;
}
.chart.tall {
	height: 232px;
}
.chart .cell {
	cursor: pointer;
	fill: var(--accent);
}
.chart .cell:hover {
	stroke: var(--text);
}
.chart .cursor {
	fill: none;
	stroke: var(--text);
	stroke-width: 2;
}
.tbl {
	padding-bottom: 6px;
	overflow-x: auto;
}
.pt th {
	padding: 6px 12px;
	border-bottom: 1px solid var(--line);
	color: var(--text-3);
	font-size: 11px;
	font-weight: 500;
	text-align: right;
	white-space: nowrap;
}
th[aria-sort] button::after {
	content: ' ↓' / '';
}
th[aria-sort='ascending'] button::after {
	content: ' ↑' / '';
}
th button {
	color: inherit;
	font-weight: 500;
}
th:is([aria-sort], :hover) button {
	color: var(--text);
}
.pt td {
	height: 34px;
	padding: 0 12px;
	border-bottom: 1px solid color-mix(in srgb, var(--line) 55%, transparent);
	font-variant-numeric: tabular-nums;
	text-align: right;
	white-space: nowrap;
}
.pt :is(th, td):first-child {
	padding-left: 14px;
	text-align: left;
}
.pt tr:last-child td {
	border-bottom: 0;
}
.pt tbody tr:hover {
	background: var(--hover);
}
.pt .hot {
	color: var(--bad);
	font-weight: 600;
}
.pt svg {
	display: inline-block;
	width: 120px;
	height: 22px;
	vertical-align: middle;
}

.wf .lb button {
	display: flex;
	height: 24px;
	align-items: center;
	gap: 5px;
	min-width: 0;
	color: inherit;
	font: inherit;
}
.wf .lb button::before {
	flex: none;
	width: 9px;
	color: var(--text-3);
	font-size: 9px;
	content: '▸' / '';
}
.wf .lb [aria-expanded='true']::before {
	content: '▾' / '';
}
.wf .lb button::after {
	position: absolute;
	inset: 0 0 auto;
	height: 24px;
	content: '';
}
.wf .n:hover > .lb {
	color: var(--text);
}
.wf .v.bad {
	color: var(--bad);
}
.wf > li > .wd {
	display: grid;
	grid-column: 1 / -1;
	gap: 8px;
	margin: 3px 0 9px calc(16px + var(--d) * 14px);
	padding: 9px 12px;
	border: 1px solid var(--line);
	border-left: 3px solid var(--p-call);
	border-radius: var(--r-2);
	background: var(--sunken);
}
.wf .sent > .wd {
	border-left-color: var(--p-query);
}
.wd .kv {
	grid-template-columns: max-content minmax(0, 1fr);
}
.wd .code {
	border: 0;
	padding: 0;
}
.err {
	color: var(--bad);
	overflow-wrap: anywhere;
}
.q-keyword {
	color: var(--accent);
}
.q-string {
	color: var(--ok);
}
.q-number {
	color: var(--warn);
}
.q-parameter {
	color: var(--note);
}
.q-comment {
	color: var(--text-3);
	font-style: italic;
}
:is(.qt, .qw) span {
	unicode-bidi: normal;
}
.qt {
	display: -webkit-box;
	-webkit-box-orient: vertical;
	-webkit-line-clamp: 3;
	line-clamp: 3;
	color: var(--text);
	font: 12px/1.55 var(--mono);
	overflow: hidden;
	overflow-wrap: anywhere;
	white-space: pre-wrap;
}
.qw {
	max-height: 420px;
}
.ps {
	display: grid;
	gap: 1px;
	counter-reset: p;
}
.ps li {
	display: grid;
	grid-template-columns: max-content minmax(0, 1fr);
	gap: 8px;
	counter-increment: p;
}
.ps li::before {
	min-width: 2ch;
	color: var(--text-3);
	font: 11px/1.6 var(--mono);
	text-align: right;
	content: counter(p);
}
.qline {
	height: 15px;
	margin-bottom: 8px;
	border: 1px solid var(--line);
	border-radius: var(--r-1);
	background-color: var(--sunken);
	overflow: hidden;
}
.qline span {
	top: 2px;
	height: 9px;
	opacity: 0.85;
}
.qbox {
	container: queries / inline-size;
}
.qtab th {
	padding: 4px 8px;
	border-bottom: 1px solid var(--line);
	color: var(--text-3);
	font-size: 11px;
	font-weight: 500;
	text-align: left;
	white-space: nowrap;
}
.qtab td {
	padding: 8px;
	border-bottom: 1px solid color-mix(in srgb, var(--line) 60%, transparent);
	font-size: 12.5px;
	vertical-align: top;
}
.qtab tbody tr:hover {
	background: var(--hover);
}
.qtab tr.bad > td:first-child {
	box-shadow: inset 3px 0 0 var(--g-bad);
}
.qtab .qn {
	width: 44px;
	padding-left: 4px;
	color: var(--text-3);
	font-size: 12px;
	white-space: nowrap;
}
.qtab td.qn {
	line-height: 22px;
}
.qn button {
	min-width: 34px;
	min-height: 24px;
	color: inherit;
	text-align: left;
}
.qn button span {
	display: inline-block;
	width: 13px;
	font-size: 10px;
}
.qtab .r {
	width: 1px;
	text-align: right;
	white-space: nowrap;
}
.qtab td.r {
	line-height: 22px;
}
.qtab td small {
	display: block;
	color: var(--text-3);
	font-size: 11px;
	line-height: 1.3;
}
.sh {
	width: 56px;
	height: 3px;
	margin: 3px 0 0 auto;
	border-radius: 2px;
	background: var(--line);
	overflow: hidden;
}
.sh i {
	display: block;
	width: var(--w);
	min-width: 1px;
	height: 100%;
	background: var(--p-query);
}
.qh {
	position: relative;
	display: flex;
	flex-wrap: wrap;
	align-items: center;
	gap: 0 6px;
	min-height: 22px;
	margin-bottom: 1px;
	padding-right: 30px;
}
.qh :is(b, .tag) {
	flex: none;
}
.qh .btn {
	position: absolute;
	top: 0;
	right: 0;
	width: 24px;
	height: 22px;
}
.qv {
	min-width: 0;
	color: var(--text-3);
	font: 11.5px/1.4 var(--mono);
	overflow-wrap: anywhere;
}
.qp {
	display: -webkit-box;
	-webkit-box-orient: vertical;
	-webkit-line-clamp: 2;
	line-clamp: 2;
	margin-top: 3px;
	color: var(--text-2);
	font: 12px/1.5 var(--mono);
	overflow: hidden;
	overflow-wrap: anywhere;
}
.qp:not(.whole):has(code) {
	font-family: var(--font);
}
.qtab td:nth-child(2) {
	max-width: 0;
}
.qp.whole {
	display: block;
	margin-top: 7px;
}
.qsite {
	margin-top: 2px;
	font-size: 12px;
	overflow-wrap: anywhere;
}
.qm td {
	padding-top: 4px;
	padding-bottom: 4px;
}
.qm td:nth-child(2) {
	border-left: 2px solid var(--line-2);
}
.qm :is(small, .sh) {
	display: none;
}
.qm .qn {
	padding-left: 17px;
}
.ct .q1 {
	padding-top: 7px;
	padding-bottom: 7px;
	white-space: normal;
}
.ct .q1 .tag {
	margin-right: 6px;
}
.ct .q1 a:hover .qt {
	text-decoration: underline;
}
.ct .qt {
	margin-top: 2px;
}
@container queries (max-width: 460px) {
	.qtab,
	.qtab :is(thead, tbody) {
		display: block;
	}
	.qtab tr {
		display: grid;
		grid-template-columns: 44px minmax(0, 1fr) auto;
	}
	.qtab thead tr {
		grid-template-columns: 44px minmax(0, 1fr) auto auto;
		border-bottom: 1px solid var(--line);
	}
	.qtab .r {
		width: auto;
	}
	.qtab td small {
		display: inline;
		margin-left: 8px;
	}
	.qtab .sh {
		display: none;
	}
	.qtab :is(th, td) {
		border: 0;
	}
	.qtab td:nth-child(2) {
		grid-column: 2 / -1;
		max-width: none;
	}
	.qtab td:nth-child(3) {
		grid-column: 2;
		text-align: left;
	}
	.qtab tbody tr {
		border-bottom: 1px solid var(--line);
	}
	.qtab td.r {
		padding-top: 0;
	}
}

.rsplit {
	display: grid;
	flex: 1;
	grid-template: minmax(0, 1fr) / minmax(280px, 360px) minmax(0, 1fr);
	min-height: 0;
}
.tree {
	padding: 6px 8px 24px;
	border-right: 1px solid var(--line);
	background: var(--surface);
	overflow: auto;
	overflow-anchor: none;
}
.tree ul {
	padding: var(--before) 0 var(--after);
}
.tree h2 {
	display: flex;
	align-items: baseline;
	gap: 8px;
	height: 33px;
	padding: 12px 8px 3px;
	font-size: 12px;
	font-weight: 600;
}
.tree h2 span {
	overflow: hidden;
	text-overflow: ellipsis;
	white-space: nowrap;
}
.tree h2 .mono {
	flex-shrink: 2;
	margin-left: auto;
	color: var(--text-3);
	font-size: 11px;
	font-weight: 400;
}
.tree a {
	display: grid;
	grid-template-columns: 54px minmax(0, 1fr) auto;
	align-items: center;
	gap: 6px;
	height: 29px;
	padding: 0 8px;
	border-radius: var(--r-2);
}
.tree a:hover {
	background: var(--hover);
}
.tree a[aria-current='true'] {
	background: var(--sel);
}
.tree .pth {
	overflow: hidden;
	text-overflow: ellipsis;
	white-space: nowrap;
}
.tree small {
	color: var(--text-2);
	font-size: 11px;
	font-variant-numeric: tabular-nums;
}
.rd {
	display: flex;
	flex-direction: column;
	gap: 20px;
	padding: 16px 20px 40px;
	overflow: auto;
}
.rd .head h2 {
	font: 600 16px/1.4 var(--mono);
	overflow-wrap: anywhere;
}
.rd .head p {
	max-width: 68ch;
	margin-top: 3px;
	color: var(--text-2);
}
.rcols {
	display: grid;
	grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
	align-items: start;
	gap: 24px;
}
.stack {
	display: flex;
	flex-direction: column;
	gap: 20px;
	min-width: 0;
}
.sch {
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: var(--surface);
	overflow: hidden;
}
.sch > li {
	display: grid;
	grid-template-columns: minmax(0, auto) minmax(0, 1fr) auto;
	align-items: baseline;
	gap: 2px 10px;
	padding: 7px 12px;
	border-top: 1px solid var(--line);
}
.sch > li:first-child {
	border-top: 0;
}
.sch .nm {
	font: 600 12.5px/1.4 var(--mono);
	overflow-wrap: anywhere;
}
.sch .ty {
	color: var(--text-3);
	font: 11.5px/1.4 var(--mono);
	overflow-wrap: anywhere;
}
.sch .ds {
	grid-column: 1 / -1;
	color: var(--text-2);
	font-size: 12px;
	overflow-wrap: anywhere;
}
.sch details {
	grid-column: 1 / -1;
}
.sch > li > details:nth-child(3):not([open]) {
	grid-column: auto;
}
.sch summary {
	color: var(--accent);
	font-size: 12px;
	cursor: pointer;
}
.sch .sch {
	margin-top: 6px;
}
.try {
	container: try / inline-size;
	border: 1px solid var(--line);
	border-radius: var(--r-3);
	background: var(--surface);
	overflow: hidden;
}
.try > header {
	display: flex;
	align-items: center;
	gap: 8px;
	padding: 9px 12px;
	border-bottom: 1px solid var(--line);
}
.try > header h3 {
	font-size: 13px;
	font-weight: 600;
}
.try form {
	display: grid;
	gap: 10px;
	padding: 12px;
}
.try label {
	display: grid;
	grid-template-columns: 116px minmax(0, 1fr);
	align-items: center;
	gap: 10px;
}
.try label > span {
	color: var(--text-2);
	font: 12px/1.4 var(--mono);
	overflow-wrap: anywhere;
}
.try [type='file'] {
	padding: 3px;
}
.try ::file-selector-button {
	height: 22px;
	margin-right: 8px;
	border: 0;
	border-radius: var(--r-1);
	background: var(--hover);
	color: inherit;
	font: inherit;
}
.try label b {
	color: var(--bad);
}
.try .hint {
	color: var(--text-3);
	font-size: 12px;
}
.try .free > summary,
.try .heads > summary {
	color: var(--accent);
	font-size: 12px;
	cursor: pointer;
}
.try .free label {
	margin-top: 10px;
}
.try .picture {
	max-width: 100%;
	max-height: 320px;
	min-width: 24px;
	min-height: 24px;
	object-fit: contain;
	justify-self: start;
	border: 1px solid var(--line);
	border-radius: var(--r-2);
	background: repeating-conic-gradient(var(--sunken) 0 25%, var(--surface) 0 50%) 0 0 / 16px 16px;
}
.try .foot {
	display: flex;
	align-items: center;
	flex-wrap: wrap;
	gap: 8px;
	padding: 0;
	margin: 0;
}
.try .out {
	display: grid;
	grid-template-columns: minmax(0, 1fr);
	gap: 8px;
	padding: 12px;
	border-top: 1px solid var(--line);
	background: var(--sunken);
}
.try .out .code {
	max-height: 320px;
	background: var(--surface);
}
.in {
	width: 100%;
	min-width: 0;
	height: 30px;
	padding: 0 9px;
	border: 1px solid var(--line-2);
	border-radius: var(--r-2);
	background: var(--surface);
	font-family: var(--mono);
	font-size: 12px;
}
.in::placeholder {
	color: var(--text-3);
	opacity: 1;
}
input[type='checkbox'] {
	width: 16px;
	height: 16px;
	margin: 0;
	accent-color: var(--accent);
}
textarea.in {
	height: auto;
	padding: 8px 10px;
	line-height: 1.6;
	resize: vertical;
}

.lg {
	flex: 1;
	min-height: 0;
	padding: 4px 0 20px;
	background: var(--surface);
	font: 12px/1.45 var(--mono);
	overflow: auto;
	overflow-anchor: none;
}
.db .lg {
	flex: none;
	margin: -8px -16px;
}
.db .lg li {
	grid-template-columns: 68px 46px minmax(0, 1fr);
}
.lg li {
	display: grid;
	grid-template-columns: 98px 46px minmax(0, 1fr) auto;
	align-items: baseline;
	gap: 0 10px;
	min-height: 26px;
	padding: 3px 14px;
}
.lg li:hover {
	background: var(--hover);
}
.lg li.e {
	background: color-mix(in srgb, var(--bad-weak) 60%, transparent);
}
.lg .lv {
	font-size: 11px;
	font-weight: 600;
}
.lv.info {
	color: var(--info);
}
.lv.warn {
	color: var(--warn);
}
.lv:is(.error, .fatal) {
	color: var(--bad);
}
.lv:is(.debug, .trace) {
	color: var(--text-3);
}
.lg .msg {
	overflow-wrap: anywhere;
}
.lg .f {
	color: var(--text-3);
}
.lg a {
	color: var(--text-3);
	font-size: 11px;
	line-height: 20px;
	white-space: nowrap;
}
.lg a:hover {
	color: var(--accent);
}
.prob {
	display: grid;
	gap: 10px;
}
.pb {
	display: grid;
	grid-template-columns: auto minmax(0, 1fr) auto 74px;
	align-items: center;
	gap: 4px 14px;
	padding: 12px 14px;
	border: 1px solid var(--line);
	border-radius: var(--r-3);
	background: var(--surface);
}
.pb .ic {
	display: grid;
	align-self: start;
	place-items: center;
	width: 30px;
	height: 30px;
	border-radius: 8px;
}
.pb h3 {
	font-size: 13.5px;
	font-weight: 600;
	overflow-wrap: anywhere;
}
.pb p {
	color: var(--text-2);
	font-size: 12.5px;
	overflow-wrap: anywhere;
}
.pb .spark {
	width: 150px;
	height: 30px;
}
.pb span.spark {
	width: 0;
}
.pb .n {
	font-variant-numeric: tabular-nums;
	text-align: right;
}
.pb .n b {
	display: block;
	font-size: 16px;
	font-weight: 600;
	letter-spacing: -0.02em;
}
.pb .n span {
	color: var(--text-3);
	font-size: 11px;
}
.pb .meta {
	display: flex;
	grid-column: 2 / -1;
	flex-wrap: wrap;
	gap: 2px 14px;
	margin-top: 3px;
	color: var(--text-3);
	font-size: 12px;
}
.pb.gone {
	background: none;
}
.runs {
	display: grid;
	gap: 12px;
	margin-bottom: 12px;
	padding: 12px 14px;
	border: 1px solid var(--line);
	border-radius: var(--r-3);
	background: var(--surface);
}
.runs[hidden] {
	display: none;
}
.runs .line {
	display: flex;
	flex-wrap: wrap;
	align-items: center;
	justify-content: space-between;
	gap: 8px 14px;
}
.runs .line p {
	font-weight: 600;
}
.runs .results {
	overflow-x: auto;
}
.runs td:first-child {
	min-width: 110px;
	overflow-wrap: anywhere;
}
.runs td:not(:first-child) :is(.num, .link) {
	white-space: nowrap;
}
.chk {
	display: grid;
	gap: 7px;
}
.chk li {
	display: grid;
	grid-template-columns: 18px minmax(0, 1fr);
	align-items: start;
	gap: 8px;
	font-size: 12.5px;
}
.chk .y {
	color: var(--ok);
}
.chk .w {
	color: var(--warn);
}
.chk p {
	color: var(--text-3);
	font-size: 12px;
}

.only-n {
	display: none !important;
}
@media (max-width: 1000px) {
	.bar:has(> .seg) {
		flex-wrap: wrap;
	}
	.bar:has(> .seg) .field {
		flex: 1 0 100%;
	}
}
@media (max-width: 1240px) {
	.bar.full {
		flex-wrap: wrap;
	}
	.bar.full .field {
		flex: 1 0 100%;
	}
	.bar.full .seg {
		flex: 0 1 auto;
		margin-right: auto;
		overflow-x: auto;
		scrollbar-width: none;
	}
}
@media (max-width: 860px) {
	.bar.full .txt {
		position: absolute;
		width: 1px;
		overflow: hidden;
		clip-path: inset(50%);
	}
}
@container main (min-width: 1061px) {
	.w6:last-child {
		grid-area: 1 / 7 / span 3 / span 6;
	}
}
@container main (max-width: 1060px) {
	.kpis {
		grid-template-columns: repeat(4, minmax(0, 1fr));
	}
	.kpi:last-child {
		grid-column: span 2;
	}
	.card,
	.card.w6,
	.card.w8 {
		grid-column: span 12;
	}
	.rcols {
		grid-template-columns: minmax(0, 1fr);
	}
}
@container main (max-width: 760px) {
	.rsplit {
		grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
	}
	.split.open {
		grid-template-columns: minmax(0, 1fr);
	}
	.split.open .list,
	.tree small,
	.tree h2 .mono {
		display: none;
	}
	.kv:not(.hd) {
		grid-template-columns: fit-content(112px) minmax(0, 1fr);
	}
	.lg li {
		grid-template-columns: auto 46px minmax(0, 1fr);
		padding: 4px 12px;
	}
	.lg a {
		grid-area: 1 / 3;
		text-align: right;
		overflow: hidden;
		text-overflow: ellipsis;
	}
	.lg .msg {
		grid-column: 1 / -1;
	}
	.pb {
		grid-template-columns: auto minmax(0, 1fr) auto 62px;
	}
	.pb .spark {
		width: 84px;
	}
	.pt .opt {
		display: none;
	}
	.pt :is(th, td) {
		padding-right: 7px;
		padding-left: 7px;
	}
}
@container try (max-width: 460px) {
	.try .foot kbd {
		display: none;
	}
}
@container try (max-width: 340px) {
	.try label {
		grid-template-columns: minmax(0, 1fr);
		gap: 3px;
	}
}
@media (max-width: 760px) {
	.app {
		grid-template: 48px auto minmax(0, 1fr) calc(56px + env(safe-area-inset-bottom)) / minmax(0, 1fr);
		grid-template-areas: 'top' 'status' 'main' 'nav';
	}
	.only-n {
		display: inline-flex !important;
	}
	.top {
		gap: 6px;
		padding: 0 10px 0 12px;
	}
	.brand .path,
	.wide {
		display: none;
	}
	.top .txt,
	.bar:not(.full) .txt {
		position: absolute;
		width: 1px;
		overflow: hidden;
		clip-path: inset(50%);
	}
	.acts {
		gap: 4px;
	}
	.acts .btn {
		padding: 0 7px;
	}
	.acts .btn > svg:first-child {
		display: none;
	}
	.top .btn {
		width: 32px;
		height: 32px;
		padding: 0;
	}
	.nav {
		flex-direction: row;
		justify-content: space-around;
		padding: 4px 4px env(safe-area-inset-bottom);
		border: 0;
		border-top: 1px solid var(--line);
		overflow: visible;
	}
	.nav a {
		position: relative;
		flex: auto;
		flex-direction: column;
		gap: 2px;
		min-width: 0;
		height: 48px;
		padding: 6px 0 0;
		font-size: 10px;
	}
	.nav .ct {
		position: absolute;
		top: 2px;
		left: calc(50% + 8px);
		margin: 0;
		font-size: 10px;
	}
	.nav .ct:not(.bad),
	.nav .foot {
		display: none;
	}
	.bar {
		flex-wrap: wrap;
		padding: 8px 10px;
	}
	.bar:not(:has(> a)) .field {
		flex: 1 0 100%;
	}
	.bar .seg,
	.bar.full .seg {
		flex: 1 1 0;
		min-width: 0;
		overflow-x: auto;
		scrollbar-width: none;
	}
	.bar .seg button {
		flex: 1 0 auto;
		justify-content: center;
		padding: 0 8px;
	}
	.bar:has(+ .split.open),
	.bar:has(+ .rsplit.open) {
		display: none;
	}
	.split.open {
		grid-template-columns: minmax(0, 1fr);
	}
	.split.open .list {
		display: none;
	}
	.pane.detail {
		border-left: 0;
	}
	.strip {
		height: 70px;
	}
	.pill-new {
		top: 10px;
	}
	.rt thead {
		display: none;
	}
	.rt,
	.rt tbody {
		display: block;
	}
	.rt .row {
		display: grid;
		grid-template-columns: auto auto minmax(0, 1fr) auto;
		align-content: center;
		align-items: center;
		gap: 2px 9px;
		height: 54px;
		padding: 0 12px;
		border-bottom: 1px solid var(--line);
	}
	.rt .row td,
	.rt .row td:first-child,
	.rt .row td:last-child {
		display: block;
		height: auto;
		padding: 0;
		border: 0;
	}
	.rt :is(.gap, .divider),
	.rt :is(.gap, .divider) td {
		display: block;
	}
	.rt .divider,
	.rt .divider td {
		height: 54px;
	}
	.row .k-d {
		grid-area: 1 / 4;
	}
	.rt .row .k-w {
		grid-area: 2 / 1 / auto / span 2;
		font-size: 11px;
		text-align: left;
	}
	.rt .row .k-h {
		display: block;
		grid-area: 2 / 3 / auto / span 2;
		font-size: 11px;
		text-align: right;
	}
	.rt .row .k-sz,
	.rt .row .k-b {
		display: none;
	}
	.kpis {
		grid-template-columns: repeat(2, minmax(0, 1fr));
	}
	.page,
	.cards {
		gap: 10px;
	}
	.page {
		padding: 10px 10px 24px;
	}
	.card > header {
		flex-wrap: wrap;
	}
	.rsplit {
		grid-template-columns: minmax(0, 1fr);
	}
	.rsplit.open .tree,
	.rsplit:not(.open) .rd {
		display: none;
	}
	.tree {
		border: 0;
	}
	.rd {
		padding: 12px 14px 32px;
	}
	.rd .only-n {
		margin-bottom: 12px;
	}
	.pb {
		grid-template-columns: auto minmax(0, 1fr) auto;
	}
	.pb .spark,
	.runs thead {
		display: none;
	}
	.runs tbody tr {
		display: flex;
		flex-wrap: wrap;
		gap: 2px 12px;
		padding: 7px 0;
		border-bottom: 1px solid var(--line);
	}
	.runs tbody td {
		padding: 0;
		border: 0;
	}
	.runs tbody td:first-child {
		flex-basis: 100%;
	}
	.runs tbody td:nth-child(3):has(.num)::before {
		content: '→ ';
	}
	.pb .meta {
		grid-column: 1 / -1;
	}
	.keys dl {
		grid-template-columns: 1fr;
	}
	.simple code {
		overflow-wrap: anywhere;
	}
	.simple:not(.num) td:first-child {
		width: 40%;
	}
	.toast {
		bottom: 70px;
	}
}
@media (max-width: 380px) {
	.live .num,
	.wf em,
	.acts .btn > svg {
		display: none;
	}
	.wf {
		grid-template-columns: fit-content(55%) minmax(40px, 1fr) max-content;
	}
	.pt .opt2 {
		display: none;
	}
}

@media (prefers-reduced-motion: no-preference) {
	.live[data-state='live'] .dot {
		animation: pulse 2.4s infinite;
	}
	.rt .row.new {
		animation: arrive 1.2s ease-out;
	}
	@keyframes pulse {
		0% {
			box-shadow: 0 0 0 0 color-mix(in srgb, var(--g-ok) 55%, transparent);
		}
		70%,
		100% {
			box-shadow: 0 0 0 6px transparent;
		}
	}
	@keyframes arrive {
		from {
			background: var(--accent-weak);
		}
	}
}
@media (prefers-contrast: more) {
	:root {
		--line: light-dark(#8a919e, #7d8696);
		--line-2: light-dark(#5c6370, #a2abba);
		--text-3: var(--text-2);
	}
}
@media (forced-colors: active) {
	.st::before,
	.phasebar span,
	.wf .tr span,
	.wf .lb i,
	.lgd i,
	.meter span,
	.live .dot {
		forced-color-adjust: none;
	}
	.nav a[aria-current='page'],
	.rt .row.sel,
	.tree a[aria-current='true'],
	.pal li[aria-selected='true'],
	.seg button[aria-pressed='true'],
	.btn[aria-pressed='true'] {
		outline: 2px solid Highlight;
		outline-offset: -2px;
	}
}
@media (max-height: 479px) {
	body {
		overflow: auto;
	}
}
@media print {
	.nav,
	.bar,
	.acts,
	.toast,
	.top button {
		display: none !important;
	}
	.app {
		display: block;
	}
	body,
	.app,
	.scroll,
	.db,
	.page {
		height: auto;
		overflow: visible;
	}
}
    </style>
  </head>
  <body>
    <noscript
      ><p>
        The live console needs JavaScript. A plain list of the newest requests is at
        <a href="/__dev__/requests">/__dev__/requests</a>.
      </p></noscript
    >
    <p class="unloaded">The page could not be loaded completely. Reload it.</p>
  </body>
</html>
`

/** First script of the page: its frame and the view of requests. */
export const PAGE_SCRIPT: string = `// ui/dom/h.ts

const SVG = 'http://www.w3.org/2000/svg'

function h(tag, attributes, ...children) {
	return withChildren(document.createElement(tag), attributes ?? {}, children)
}

function s(tag, attributes, ...children) {
	return withChildren(document.createElementNS(SVG, tag), attributes ?? {}, children)
}

function withChildren(element, attributes, children) {
	const {on, css, ...rest} = attributes
	for (const [name, value] of Object.entries(rest)) {
		if (typeof value !== 'object') setAttribute(element, name, value)
	}
	for (const [name, value] of Object.entries(css ?? {})) element.style.setProperty(name, value)
	if (on !== undefined) listen(element, on)
	append(element, children)
	return element
}

function setAttribute(element, name, value) {
	if (value === null || value === undefined || value === false) element.removeAttribute(name)
	else element.setAttribute(name, value === true ? '' : String(value))
}

function listen(element, listeners) {
	for (const [name, listener] of Object.entries(listeners)) {
		element.addEventListener(name, listener)
	}
}

function append(parent, children) {
	for (const child of children) {
		if (child === null || child === undefined || child === false) continue
		if (typeof child === 'string' || typeof child === 'number') parent.append(String(child))
		else if (child instanceof Node) parent.append(child)
		else append(parent, child)
	}
}

function fill(parent, ...children) {
	parent.replaceChildren()
	append(parent, children)
}

function placeChildren(parent, elements) {
	const next = new Set(elements)
	for (const child of [...parent.children]) if (!next.has(child)) child.remove()
	for (const [index, element] of elements.entries()) {
		const present = parent.children[index] ?? null
		if (present !== element) parent.insertBefore(element, present)
	}
}

// ui/pure/geometry.ts

function linear(from, to) {
	const factor = (to[1] - to[0]) / (from[1] - from[0] || 1)
	return value => to[0] + (value - from[0]) * factor
}

function logarithmic(from, to) {
	const inner = linear([Math.log(from[0]), Math.log(from[1])], to)
	return value => inner(Math.log(clamp(value, from[0], from[1])))
}

function pathThrough(points) {
	let isOpen = false
	return points
		.map(point => {
			if (point === null) isOpen = false
			const text = point === null ? '' : \`\${isOpen ? 'L' : 'M'}\${roundCoordinate(point[0])} \${roundCoordinate(point[1])}\`
			isOpen = point !== null
			return text
		})
		.join('')
}

function areaBetween(points, base) {
	if (points.length === 0) return ''
	return \`\${pathThrough([...points, ...base.toReversed()])}Z\`
}

function niceTicks(greatest) {
	const rough = Math.max(greatest, 1e-6) / 3
	const power = 10 ** Math.floor(Math.log10(rough))
	const step = ([1, 2, 2.5, 5, 10].find(factor => factor * power >= rough) ?? 10) * power
	const count = Math.max(1, Math.ceil(greatest / step))
	return Array.from({length: count + 1}, (_, index) => index * step)
}

function logTicks(low, high) {
	return [0.1, 1, 10, 100, 1_000, 10_000, 100_000].filter(tick => tick >= low && tick <= high)
}

function tickLabel(value) {
	return value >= 1_000 ? \`\${value / 1_000} s\` : \`\${value} ms\`
}

const LABEL_COUNT = 4
const MAX_SECONDS = 120

function timeLabels(seconds) {
	const ages = Array.from({length: LABEL_COUNT}, (_, index) => (seconds * (LABEL_COUNT - index)) / LABEL_COUNT)
	const labels = ages.map(age => (seconds > MAX_SECONDS ? \`−\${Number((age / 60).toFixed(1))} min\` : \`−\${Math.round(age)} s\`))
	return [...labels, 'now']
}

const MAX_BAR_DURATION = 10_000

function barLength(duration) {
	return Math.max(2, Math.min(1, Math.log10(1 + duration * 2) / Math.log10(1 + MAX_BAR_DURATION * 2)) * 100)
}

function barPieces(phases, total, length) {
	const totalSpan = Math.max(total, sum(phases), 1e-9)
	const pieces = []
	let start = 0
	for (const [index, phase] of phases.entries()) {
		const share = (phase / totalSpan) * length
		if (phase > 0) pieces.push({index, start, length: share})
		start += share
	}
	return pieces
}

function clamp(value, low, high) {
	return Math.min(high, Math.max(low, value))
}

function areaBelow(points, bottom) {
	const ends = [points[0], points.at(-1)].filter(point => point !== undefined)
	return areaBetween(
		points,
		ends.map(([x]) => [x, bottom]),
	)
}

function sum(values) {
	return values.reduce((total, value) => total + value, 0)
}

function roundCoordinate(value) {
	return String(Math.round(value * 10) / 10)
}

// ui/pure/format.ts

function ms(value) {
	if (value >= 60_000) return \`\${(value / 60_000).toFixed(1)} min\`
	if (value >= 999.5) return \`\${(value / 1_000).toFixed(2)} s\`
	if (value >= 99.95) return \`\${value.toFixed(0)} ms\`
	return value >= 9.995 ? \`\${value.toFixed(1)} ms\` : \`\${value.toFixed(2)} ms\`
}

function formatBytes(value) {
	if (value < 1_000) return \`\${value} B\`
	return value < 1e6 ? \`\${(value / 1e3).toFixed(1)} kB\` : \`\${(value / 1e6).toFixed(1)} MB\`
}

function int(value) {
	return Math.round(value).toLocaleString('en-US')
}

function percent(value) {
	return value > 0 && value < 0.005 ? '<1%' : \`\${(value * 100).toFixed(0)}%\`
}

function rate(value) {
	if (value === 0) return '0%'
	return \`\${(value * 100).toFixed(value < 0.1 ? 1 : 0)}%\`
}

function clock(time) {
	const date = new Date(time)
	return [date.toTimeString().slice(0, 8), \`.\${String(date.getMilliseconds()).padStart(3, '0')}\`]
}

function formatCount(count, noun) {
	return \`\${int(count)} \${noun}\${count === 1 ? '' : 's'}\`
}

function statusClass(status) {
	return \`s\${clamp(Math.floor(status / 100), 0, 5)}\`
}

function pathParts(path, template) {
	if (template === null) return [{text: path, isValue: false}]
	const names = template.split('/')
	const parts = []
	for (const [index, segment] of path.split('/').entries()) {
		const isValue = names[index]?.startsWith('{') === true || isBeyondWildcard(names, index)
		if (index > 0) appendPart(parts, {text: '/', isValue: false})
		appendPart(parts, {text: segment, isValue})
	}
	return parts
}

function isBeyondWildcard(names, index) {
	return index >= names.length && names.at(-1)?.startsWith('{') === true
}

function appendPart(parts, part) {
	const previous = parts.at(-1)
	if (part.text === '') return
	if (previous?.isValue === part.isValue) parts[parts.length - 1] = {...previous, text: previous.text + part.text}
	else parts.push(part)
}

function describeRequest(summary) {
	const status = summary['http.response.status_code']
	const outcome = status === 0 ? 'no response' : String(status)
	return \`\${summary['http.request.method']} \${summary['url.path']}, \${outcome}, \${ms(summary['dev.duration'])}\`
}

// wire/request-types.ts

const PHASES = ['route', 'guards', 'readBody', 'validate', 'providers', 'handler', 'serialize', 'send']

const REDACTED_MARK = 'redacted'

const REPLAY_HEADER = 'x-dev-replay'

const TOKEN_HEADER = 'x-dev-token'

// ui/pure/messages.ts

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

const SENDER_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect', 'accept-encoding'])

const BROWSER_HEADERS = /^(?:sec-|proxy-)|^(?:cookie|user-agent|host|origin|referer|date|te|trailer|upgrade|via|dnt)$/

function toSendable(record, origin) {
	const query = record['url.query']
	return {
		method: record['http.request.method'],
		url: \`\${origin}\${record['url.path']}\${query === '' ? '' : \`?\${query}\`}\`,
		headers: record.request.headers.filter(([name]) => !SENDER_HEADERS.has(name.toLowerCase())),
		body: record.request.body?.text ?? null,
	}
}

function canSendHeader(name) {
	return name.toLowerCase() === 'cookie' || canSetHeader(name)
}

function canSetHeader(name) {
	return !BROWSER_HEADERS.test(name.toLowerCase())
}

function settableHeaders(headers) {
	return headers.filter(([name, value]) => canSetHeader(name) && !containsSecret(value))
}

function containsSecret(text) {
	return text.split(/\\W+/).includes(REDACTED_MARK)
}

function toCurl(request) {
	const parts = [\`curl \${request.method === 'GET' ? '' : \`-X \${quoteShell(request.method)} \`}\${quoteShell(request.url)}\`]
	if (request.method === 'HEAD') parts[0] = \`curl --head \${quoteShell(request.url)}\`
	for (const [name, value] of request.headers) parts.push(\`-H \${shellValue(name, value)}\`)
	const {cookies = ''} = request
	if (cookies !== '') parts.push(\`-H \${quoteShell(\`cookie: \${cookies}\`)}\`)
	if (request.body !== null) parts.push(\`--data-raw \${quoteShell(request.body)}\`)
	for (const [name, value] of request.parts ?? []) parts.push(curlPart(name, value))
	return parts.join(' \\\\\\n  ')
}

function curlPart(name, value) {
	if (typeof value === 'string') return \`--form-string \${quoteShell(\`\${name}=\${value}\`)}\`
	const type = value.type === '' ? '' : \`;type=\${value.type}\`
	return \`-F \${quoteShell(\`\${name}=@"\${value.name.replaceAll(/["\\\\]/g, '\\\\$&')}"\${type}\`)}\`
}

function shellValue(name, value) {
	if (!containsSecret(value)) return quoteShell(value === '' ? \`\${name};\` : \`\${name}: \${value}\`)
	const [before = '', ...rest] = value.split(REDACTED_MARK)
	return \`\${quoteShell(\`\${name}: \${before}\`)}"$\${environmentName(name)}"\${rest.join('') === '' ? '' : quoteShell(rest.join(''))}\`
}

function environmentName(name) {
	return name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
}

function quoteShell(text) {
	return \`'\${text.replaceAll("'", \`'\\\\''\`)}'\`
}

function toFetch(request) {
	const headers = request.headers.map(([name, value]) => [name, containsSecret(value) ? value.replaceAll(REDACTED_MARK, \`$\${environmentName(name)}\`) : value])
	const options = {method: request.method, ...(headers.length === 0 ? {} : {headers: Object.fromEntries(headers)}), ...(request.body === null ? {} : {body: request.body})}
	return \`await fetch(\${JSON.stringify(request.url)}, \${JSON.stringify(options, null, 2)})\`
}

function toHttp(record, title) {
	const version = \`HTTP/\${record['network.protocol.version']}\`
	const {method, url} = toSendable(record, '')
	const requestLine = \`\${method} \${url} \${version}\`
	const statusLine = \`\${version} \${record['http.response.status_code']} \${title}\`.trimEnd()
	return [requestLine, ...messageLines(record.request), '', statusLine, ...messageLines(record.response)].join('\\n')
}

function messageLines({headers, body}) {
	const lines = headers.map(([name, value]) => \`\${name}: \${value}\`)
	return [...lines, '', ...(body?.text === null || body === null ? [] : [body.text])]
}

// ui/pure/views.ts

const VIEW_FACTS = {
	requests: {icon: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h7', count: ({buffer}) => buffer.total},
	routes: {icon: 'M3.5 3v10M3.5 5.5h5M3.5 10.5h5M9.5 4h3v3h-3zM9.5 9h3v3h-3z', count: (_, routes) => routes},
	performance: {icon: 'M2 11l4-5 3 3 5-6M2 14h12'},
	logs: {icon: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3'},
	problems: {icon: 'M8 2l6 11H2zM8 6.5v3M8 11.4v.1', count: ({problems}) => problems.length, isAlarm: true},
	health: {icon: 'M2 8h3l2-4 3 8 2-4h2'},
}

const VIEWS = Object.keys(VIEW_FACTS)

function isViewName(name) {
	return Object.hasOwn(VIEW_FACTS, name)
}

// ui/dom/icons.ts

const PATHS = {
	search: 'M3 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10 10l3 3',
	pause: 'M5 3v10M11 3v10',
	play: 'M5 3l8 5-8 5z',
	light: 'M5 8a3 3 0 1 0 6 0a3 3 0 1 0-6 0M8 1v1M8 14v1M1 8h1M14 8h1M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
	dark: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z',
	system: 'M2.5 3.5h11v7h-11zM6 13h4M8 11v2',
	close: 'M4 4l8 8M12 4l-8 8',
	back: 'M10 4L6 8l4 4',
	replay: 'M13 8a5 5 0 1 1-2-4M13 2v3h-3',
	edit: 'M3 13h2l8-8-2-2-8 8z',
	copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
	pin: 'M6 2h4v4l2 3H4l2-3zM8 9v5',
	trash: 'M3 4.5h10M6 4V2.5h4V4M4 4.5l1 9h6l1-9',
	folder: 'M2 4h4l1.5 2H14v7H2z',
	download: 'M8 2v8M5 7l3 3 3-3M3 13h10',
	down: 'M4 6l4 4 4-4',
	up: 'M8 13V3M4 7l4-4 4 4',
	command: 'M3 4l4 4-4 4M8 12h5',
	database: 'M3 4a5 2 0 1 0 10 0a5 2 0 1 0-10 0v8a5 2 0 0 0 10 0V4M3 8a5 2 0 0 0 10 0',
	clock: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0-12 0M8 5v3l2 2',
	check: 'M3 8l4 4 6-8',
	send: 'M2 8l12-5-4 11-3-4z',
}

function icon(name) {
	const path = isViewName(name) ? VIEW_FACTS[name].icon : PATHS[name]
	return s('svg', {class: 'i', viewBox: '0 0 16 16', 'aria-hidden': 'true'}, s('path', {d: path}))
}

// ui/dom/titles.ts

let titles = {}

function setTitles(titlesByStatus) {
	titles = titlesByStatus
}

function statusHint(status) {
	return titles[status] ?? ''
}

// ui/dom/parts.ts

function button(name, label, attributes) {
	return h('button', {type: 'button', class: 'btn', ...attributes}, icon(name), h('span', {class: 'txt'}, label))
}

function textButton(label, click, className = 'btn') {
	return h('button', {type: 'button', class: className, on: {click}}, label)
}

function searchField(label, placeholder, on) {
	const withoutHelp = {autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false'}
	const input = h('input', {type: 'text', 'aria-label': label, placeholder, ...withoutHelp, on})
	const focus = () => {
		input.focus()
		input.select()
	}
	return {input, focus, element: h('div', {class: 'field'}, icon('search'), input, h('kbd', {'aria-hidden': 'true'}, '/'))}
}

function pageElement(title, ...children) {
	const attributes = {class: 'page', tabindex: '0', role: 'region', 'aria-label': title}
	return h('div', attributes, h('h2', {class: 'vh'}, title), children)
}

function iconButton(name, label, attributes) {
	const labeled = {type: 'button', class: 'btn icon', 'aria-label': label, title: label, ...attributes}
	return h('button', labeled, icon(name))
}

function statusMark(status, isLong = false) {
	const text = status === 0 ? 'none' : String(status)
	return h('span', {class: \`st \${statusClass(status)}\`}, isLong ? \`\${text} \${statusHint(status)}\` : text)
}

function methodMark(method) {
	const unsafeClass = method === 'DELETE' ? 'd' : 'w'
	return h('span', {class: \`m \${SAFE_METHODS.has(method) ? '' : unsafeClass}\`}, method)
}

function pathMark(path, template, query) {
	const parts = pathParts(path, template).map(({text, isValue}) => (isValue ? h('span', {class: 'pv'}, text) : text))
	return [parts, query !== '' && h('span', {class: 'q'}, \`?\${query}\`)]
}

function section(title, note, ...children) {
	return h('section', {class: 'sec'}, h('h3', null, title, note && h('span', {class: 'r'}, note)), children)
}

function pairs(entries, kind = 'plain') {
	const present = entries.filter(([, value]) => value !== null)
	const rows = present.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])
	return h('dl', {class: kind === 'wire' ? 'kv hd' : 'kv'}, rows)
}

function factPairs(facts, kind) {
	return pairs(
		facts.map(({name, value, secret}) => [name, secret === true ? h('span', {class: 'red'}, value) : value]),
		kind,
	)
}

function secondaryText(text) {
	return h('span', {class: 'dim'}, text)
}

function emptyMessage(text) {
	return h('p', {class: 'dim'}, text)
}

function emptyState(title, ...children) {
	return h('div', {class: 'empty'}, h('p', null, title), children)
}

function card(kind, title, note, content) {
	const text = typeof note === 'string' ? h('p', null, note) : note
	return h('section', {class: \`card \${kind}\`}, h('header', null, h('h2', null, title), text), content)
}

// ui/dom/dialog.ts

function openDialog(label, className, ...children) {
	const dialog = h('dialog', {class: className, 'aria-label': label}, children)
	dialog.addEventListener('close', () => dialog.remove())
	dialog.addEventListener('click', event => {
		if (event.target === dialog) dialog.close()
	})
	document.body.append(dialog)
	dialog.showModal()
	return dialog
}

function isDialogOpen() {
	return document.querySelector('dialog[open]') !== null
}

function dialogContent(title, content, ...buttons) {
	return h('div', {class: 'ask'}, h('h2', null, title), content, h('div', {class: 'acts'}, buttons))
}

function askConfirmation(title, text, confirmLabel) {
	return new Promise(resolve => {
		const close = value => () => dialog.close(value)
		const cancel = textButton('Cancel', close(''))
		const confirm = textButton(confirmLabel, close('yes'), 'btn primary')
		const dialog = openDialog(title, '', dialogContent(title, h('p', null, text), confirm, cancel))
		dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
	})
}

// ui/dom/notice.ts

const TOAST_MS = 2_600

const region = h('div', {class: 'vh', role: 'status', 'aria-live': 'polite'})

const liveRegion = region

function say(text) {
	region.textContent = text
}

function toast(text) {
	for (const old of document.querySelectorAll('.toast')) old.remove()
	const element = h('div', {class: 'toast', 'aria-hidden': 'true'}, text)
	document.body.append(element)
	say(text)
	setTimeout(() => element.remove(), TOAST_MS)
}

async function copyText(text, what) {
	const isCopied = await writeClipboard(text)
	toast(isCopied ? \`Copied \${what}\` : 'The browser did not allow copying')
}

async function writeClipboard(text) {
	try {
		await navigator.clipboard.writeText(text)
		return true
	} catch {
		return copySelection(text)
	}
}

function copySelection(text) {
	const area = h('textarea', {class: 'vh', 'aria-hidden': 'true'})
	area.value = text
	document.body.append(area)
	area.select()
	const isCopied = document.execCommand('copy')
	area.remove()
	return isCopied
}

// wire/retention.ts

const MAX_OF_GROUP = 100

function retentionGroup(summary) {
	const status = summary['http.response.status_code']
	if (status >= 500 || summary['dev.flags'].length > 0) return 'failed'
	return status >= 400 ? 'rejected' : 'ordinary'
}

// ui/pure/state.ts

const MAX_RECORDS$1 = 500

const MAX_LOGS = 2_000

const MAX_POINTS = 120

const MAX_SLICES = 60

const EMPTY = {
	link: 'connecting',
	linked: 0,
	goneSince: 0,
	boot: '',
	boots: new Map(),
	app: null,
	processes: [],
	settings: {slow: 200, stall: 50, editor: null, openapi: null, versionHeader: null},
	buffer: {count: 0, maxCount: MAX_RECORDS$1, bytes: 0, maxBytes: 0, total: 0, skipped: 0},
	records: [],
	logs: [],
	paused: false,
	held: {records: [], logs: []},
	open: [],
	points: [],
	slices: [],
	endpoints: [],
	problems: [],
	runs: [],
	file: null,
	clears: 0,
	routesRead: 0,
}

// ../observe/buckets.ts

const STEPS = 8
const MIN_EXPONENT = -10
const TO_MIDDLE = 2 ** (-0.5 / STEPS)

function bucketBound(bucket) {
	return 2 ** (MIN_EXPONENT + bucket / STEPS)
}

function quantileBucket(counts, share, total) {
	const rank = Math.max(1, Math.ceil(share * total))
	let seen = 0
	for (const [bucket, count] of counts) {
		seen += count
		if (seen >= rank) return bucket
	}
	return undefined
}

// ui/pure/histogram.ts

function mergeCounts(histograms) {
	const counts = new Map()
	for (const pairs of histograms) {
		for (let index = 0; index + 1 < pairs.length; index += 2) {
			const [bucket = 0, count = 0] = [pairs[index], pairs[index + 1]]
			counts.set(bucket, (counts.get(bucket) ?? 0) + count)
		}
	}
	return counts
}

function countAll(counts) {
	return sum([...counts.values()])
}

function quantile(counts, share) {
	const buckets = [...counts].toSorted(([a], [b]) => a - b)
	const bucket = quantileBucket(buckets, share, countAll(counts))
	return bucket === undefined ? null : bucketBound(bucket) * TO_MIDDLE
}

function countBands(counts, range, bands) {
	const result = Array.from({length: bands}).fill(0)
	for (const [bucket, count] of counts) {
		const band = findBand(bucketBound(bucket - 0.5), range, bands)
		result[band] = (result[band] ?? 0) + count
	}
	return result
}

function findBand(value, range, bands) {
	const share = Math.log(value / range.low) / Math.log(range.high / range.low)
	return clamp(Math.floor(share * bands), 0, bands - 1)
}

function bandStart(band, range, bands) {
	return range.low * (range.high / range.low) ** (band / bands)
}

// ui/pure/runs.ts

const MAX_RUNS = 5

const FILE_BOOT = 'file-'

function fileBoot(number) {
	return \`\${FILE_BOOT}\${number}\`
}

function isOfFile({boot}) {
	return boot.startsWith(FILE_BOOT)
}

function formatEndpoint(summary) {
	const route = summary['http.route']
	return route === null ? null : \`\${summary['http.request.method']} \${route}\`
}

function summarizeRun(state) {
	const {boot, problems} = state
	return {boot, started: state.boots.get(boot) ?? 0, incidents: problems, endpoints: endpointMedians(state)}
}

function endpointMedians({boot, records, endpoints}) {
	const durations = new Map()
	for (const record of records) {
		const endpoint = record.boot === boot ? formatEndpoint(record) : null
		if (endpoint === null) continue
		const values = durations.get(endpoint)
		if (values === undefined) durations.set(endpoint, [record['dev.duration']])
		else values.push(record['dev.duration'])
	}
	const listedMedians = [...durations].map(([endpoint, values]) => ({endpoint, median: median(values)}))
	const countedMedians = endpoints.flatMap(({method, template, durations: histogram}) => {
		const value = quantile(mergeCounts([histogram]), 0.5)
		const endpoint = \`\${method} \${template}\`
		return value === null || durations.has(endpoint) ? [] : [{endpoint, median: value}]
	})
	return [...listedMedians, ...countedMedians]
}

function median(values) {
	const sorted = values.toSorted((a, b) => a - b)
	const middle = sorted.length >> 1
	const upper = sorted[middle] ?? 0
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

function mergeRuns(...lists) {
	const byBoot = new Map(lists.flat().map(run => [run.boot, run]))
	const runs = [...byBoot.values()].filter(({incidents, endpoints}) => incidents.length + endpoints.length > 0)
	return runs.toSorted((a, b) => b.started - a.started).slice(0, MAX_RUNS)
}

function earlierRuns({runs, boot}) {
	return runs.filter(run => run.boot !== boot)
}

function trackIncidents(state) {
	const earlier = earlierRuns(state)
	if (earlier.length === 0) {
		return state.problems.map(incident => ({incident, standing: null, before: null, after: null}))
	}
	const current = summarizeRun(state)
	const knownKeys = new Set(state.problems.map(({key}) => key))
	const past = earlier.flatMap((run, index) => {
		const incidents = run.incidents.filter(({key, endpoint}) => endpoint !== null && !knownKeys.has(key))
		for (const {key} of incidents) knownKeys.add(key)
		return incidents.map(incident => pastIncident(incident, run, [current, ...earlier.slice(0, index)]))
	})
	return [...state.problems.map(incident => currentIncident(incident, current, earlier)), ...past]
}

function currentIncident(incident, current, earlier) {
	const run = earlier.find(({incidents}) => incidents.some(({key}) => key === incident.key))
	const requested = run ?? earlier.find(candidate => findMedian(candidate, incident) !== null)
	const before = requested === undefined ? null : findMedian(requested, incident)
	const standing = {kind: run === undefined ? 'new' : 'still'}
	return {incident, standing, before, after: findMedian(current, incident)}
}

function pastIncident(incident, run, later) {
	const requested = later.filter(candidate => findMedian(candidate, incident) !== null)
	const since = requested.at(-1)?.started
	const [newest] = requested
	return {incident, standing: since === undefined ? {kind: 'unrequested'} : {kind: 'gone', since}, before: findMedian(run, incident), after: newest === undefined ? null : findMedian(newest, incident)}
}

function findMedian({endpoints}, {endpoint}) {
	return endpoints.find(each => each.endpoint === endpoint)?.median ?? null
}

function failingRequests({records, boot}) {
	const failing = records.filter(record => record.boot !== boot && !isOfFile(record) && isFailing(record))
	const lastBoot = failing.toSorted((a, b) => b.time - a.time)[0]?.boot
	const distinct = new Map()
	for (const record of failing.toSorted((a, b) => a.time - b.time)) {
		if (record.boot === lastBoot) distinct.set(replayKey(record), record)
	}
	return [...distinct.values()].toSorted((a, b) => a.time - b.time).slice(-20)
}

function isFailing(record) {
	return record['http.response.status_code'] === 0 || retentionGroup(record) !== 'ordinary'
}

function replayKey(record) {
	const target = [record['http.request.method'], record['url.path'], record['url.query']]
	return [...target, record['http.response.status_code'], record['error.type']].join(' ')
}

function compareReplay(before, after) {
	if (!isFailing(after)) return 'fixed'
	const isSameStatus = before['http.response.status_code'] === after['http.response.status_code']
	return isSameStatus && before['error.type'] === after['error.type'] ? 'same' : 'other'
}

function findReplay({records, boot}, id) {
	return records.find(record => record.boot === boot && record['dev.replayOf'] === id) ?? null
}

// ui/pure/reduce.ts

const SLICE_MS$1 = 10_000

const HANDLERS = {
	hello: (state, {boot, started}) => withBoot({...state, open: []}, boot, started),
	req: (state, {items}) => receive(state, {records: items, logs: []}),
	log: (state, {items}) => receive(state, {records: [], logs: items}),
	open: (state, {items}) => ({...state, open: items}),
	tick: (state, {buffer, ...point}) => ({...withPoint(state, point), buffer}),
	problem: (state, problem) => ({...state, problems: [problem, ...state.problems.filter(({key}) => key !== problem.key)].toSorted((a, b) => b.last - a.last)}),
	routes: state => ({...state, routesRead: state.routesRead + 1}),
	cleared: clearState,
	pinned: withPins,
	gap: state => state,
	bye: state => ({...state, open: []}),
}

function applyEvent(state, name, data) {
	return HANDLERS[name](state, data)
}

function applySnapshot(state, snapshot) {
	const {boot, app, processes, settings, buffer, metrics, problems, requests, logs, earlier} = snapshot
	const started = processes[0]?.started ?? snapshot.now
	const base = withRuns({...withBoot(state, boot, started), app, processes, settings, buffer}, earlier)
	const nextState = {...applyMetrics(base, metrics), problems: problems.toSorted((a, b) => b.last - a.last)}
	return receive(nextState, {records: requests.toReversed(), logs: logs.toReversed()})
}

function applyFile(state, name, records, note = '') {
	const [first] = records
	if (first === undefined) return state
	const file = {boot: first.boot, name, ...(note !== '' && {note})}
	return applyStored({...closeFile(state), file}, records)
}

function closeFile(state) {
	return {...state, records: state.records.filter(record => !isOfFile(record)), file: null}
}

function applyStored(state, records, runs = []) {
	const next = withRuns(state, runs)
	const knownIds = new Set(next.records.map(({id}) => id))
	const missing = records.filter(({id, boot}) => boot !== next.boot && !knownIds.has(id))
	return missing.length === 0 ? next : {...next, records: mergeRecords(next.records, missing, next)}
}

function withRuns(state, runs) {
	if (runs.length === 0) return state
	const boots = new Map([...runs.map(({boot, started}) => [boot, started]), ...state.boots])
	return {...state, boots, runs: mergeRuns(runs, state.runs)}
}

function applyMetrics(state, metrics) {
	return {...state, points: metrics.points, slices: metrics.slices, endpoints: metrics.endpoints}
}

function withLink(state, link, now) {
	const isGood = link === 'live' || link === 'polling'
	const isGone = link === 'lost' || link === 'restarting'
	const goneSince = isGone ? state.goneSince || now : 0
	return {...state, link, linked: isGood ? now : state.linked, goneSince, open: isGood ? state.open : []}
}

function togglePause(state) {
	if (!state.paused) return {...state, paused: true}
	const {records, logs} = state.held
	const resumed = {...state, paused: false, held: EMPTY.held}
	return receive(resumed, {records: records.toReversed(), logs: logs.toReversed()})
}

function countHeld({records, held}) {
	const recordIds = new Set(records.map(record => record.id))
	return held.records.filter(record => !recordIds.has(record.id)).length
}

function receive(state, {records, logs}) {
	const current = state.paused ? state.held : state
	const next = {records: records.length === 0 ? current.records : mergeRecords(current.records, records, state), logs: logs.length === 0 ? current.logs : mergeLogs(current.logs, logs)}
	return state.paused ? {...state, held: next} : {...state, ...next}
}

function mergeRecords(old, items, {boot, problems}) {
	const byId = new Map(old.map(record => [record.id, record]))
	for (const item of items) if (isNewOrChanged(byId.get(item.id), item)) byId.set(item.id, item)
	const records = [...byId.values()]
	const current = records.filter(record => record.boot === boot).toSorted((a, b) => b.seq - a.seq)
	const earlier = sortEarlier(records.filter(record => record.boot !== boot))
	return retain([...current, ...earlier], new Set(problems.map(({sample}) => sample)))
}

function sortEarlier(records) {
	const ends = new Map()
	for (const {boot, time} of records) ends.set(boot, Math.max(time, ends.get(boot) ?? -Infinity))
	const getEnd = record => (isOfFile(record) ? -Infinity : (ends.get(record.boot) ?? 0))
	return records.toSorted((a, b) => compareNumbers(getEnd(b), getEnd(a)) || compareBoots(a, b) || b.seq - a.seq)
}

function compareNumbers(a, b) {
	return a === b ? 0 : a - b
}

function compareBoots(a, b) {
	return a.boot === b.boot ? 0 : Number(b.boot > a.boot) - Number(b.boot < a.boot)
}

function retain(records, samples) {
	const counts = {failed: 0, rejected: 0, ordinary: MAX_OF_GROUP}
	return records.filter((record, index) => {
		const isOfNewest = counts[retentionGroup(record)]++ < MAX_OF_GROUP
		return index < MAX_RECORDS$1 || isOfNewest || record['dev.pinned'] || samples.has(record.id) || isOfFile(record)
	})
}

function isNewOrChanged(known, item) {
	return known === undefined || known['dev.pinned'] !== item['dev.pinned']
}

function mergeLogs(old, items) {
	const knownLines = new Set(old.slice(0, MAX_LOGS).map(lineIdentity))
	const fresh = items.filter(line => !knownLines.has(lineIdentity(line)))
	return [...fresh, ...old].toSorted((a, b) => b.time - a.time || b.seq - a.seq).slice(0, MAX_LOGS)
}

function lineIdentity(line) {
	return \`\${line.seq} \${line.time}\`
}

function withBoot(state, boot, started) {
	if (state.boot === boot && state.boots.get(boot) === started) return state
	const boots = new Map(state.boots).set(boot, started)
	if (state.boot === boot) return {...state, boots}
	const runs = state.boot === '' ? state.runs : mergeRuns(state.runs, [summarizeRun(state)])
	return {...state, boot, boots, runs, points: [], problems: [], endpoints: []}
}

function withPoint(state, point) {
	if (state.points.at(-1)?.time === point.time) return state
	return {...state, points: [...state.points, point].slice(-MAX_POINTS), slices: withDurations(state.slices, point)}
}

function withDurations(slices, point) {
	if (point.durations.length === 0) return slices
	const time = Math.floor((point.time - 1) / SLICE_MS$1) * SLICE_MS$1
	const same = slices.find(slice => slice.time === time)
	const durations = [...mergeCounts([same?.durations ?? [], point.durations])].toSorted(([a], [b]) => a - b).flat()
	return [...slices.filter(slice => slice !== same), {time, durations}].slice(-MAX_SLICES)
}

function clearState(state) {
	const isKept = record => record['dev.pinned']
	return {
		...state,
		records: state.records.filter(isKept),
		logs: [],
		held: {records: state.held.records.filter(isKept), logs: []},
		problems: [],
		runs: [],
		file: null,
		clears: state.clears + 1,
		buffer: {...state.buffer, count: state.records.filter(isKept).length, bytes: 0, skipped: 0},
	}
}

function withPins(state, {ids}) {
	const pinned = new Set(ids)
	const mark = record => (record['dev.pinned'] === pinned.has(record.id) || record.boot !== state.boot ? record : {...record, 'dev.pinned': pinned.has(record.id)})
	return {...state, records: state.records.map(mark), held: {...state.held, records: state.held.records.map(mark)}}
}

// ../values/json-pointer.ts

function parsePointer(pointer) {
	return pointer
		.split('/')
		.slice(1)
		.map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

// wire/json-schema.ts

const MAX_CHAIN_LENGTH = 8

function isJson(value) {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOrEmpty(value) {
	return isJson(value) ? value : {}
}

function listOrEmpty(value) {
	return Array.isArray(value) ? value : []
}

function stringOrEmpty(value) {
	return typeof value === 'string' ? value : ''
}

function resolveSchema(document, schema) {
	let current = objectOrEmpty(schema)
	for (let step = 0; step < MAX_CHAIN_LENGTH && typeof current['$ref'] === 'string'; step++) {
		current = followPointer(document, current['$ref'])
	}
	return typeof current['$ref'] === 'string' ? {} : current
}

function followPointer(document, reference) {
	if (!reference.startsWith('#/')) return {}
	let current = document
	for (const name of parsePointer(reference)) current = Object.hasOwn(current, name) ? objectOrEmpty(current[name]) : {}
	return current
}

// ui/live/api.ts

const BASE = location.pathname.replace(/(?<!\\/)\\/+$/, '')

class ApiError extends Error {
	name = 'ApiError'
	status

	constructor({status, detail}) {
		super(detail)
		this.status = status
	}
}

const api = {
	snapshot: () => readJson('snapshot'),
	record: id => readJson(\`requests/\${encodeURIComponent(id)}\`),
	search: q => readJson(\`requests?limit=1000&\${filterQuery(q)}\`),
	metrics: () => readJson('metrics'),
	routes: () => readJson('routes'),
	openapi: () => readJson('openapi'),
	calls: () => readJson('calls'),
	health: () => readJson('health'),
	source: frame => readJson(\`source?frame=\${encodeURIComponent(frame)}\`),
	clear: () => post('clear', {}),
	pin: action => post('pin', action),
	settings: action => post('settings', action),
}

function harLink(q) {
	return \`\${BASE}/api/har?\${filterQuery(q)}\`
}

function filterQuery(q) {
	return \`zone=\${new Date().getTimezoneOffset()}&q=\${encodeURIComponent(q)}\`
}

function readJson(path) {
	return send(path, {headers: {accept: 'application/json'}})
}

let token = readMeta('token')
let boot = readMeta('boot')
let tokenRenewal = Promise.resolve()

function readMeta(name) {
	return document.querySelector(\`meta[name="dev-\${name}"]\`)?.getAttribute('content') ?? ''
}

function noteBoot(currentBoot) {
	if (currentBoot === boot) return
	boot = currentBoot
	tokenRenewal = renewToken()
}

async function post(path, body) {
	await tokenRenewal
	const sendOnce = () => {
		const headers = {'content-type': 'application/json', [TOKEN_HEADER]: token}
		return send(path, {method: 'POST', headers, body: JSON.stringify(body)})
	}
	try {
		return await sendOnce()
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 403 || !(await renewToken())) throw error
	}
	return sendOnce()
}

async function renewToken() {
	const response = await fetch(BASE, {cache: 'no-store', redirect: 'error'}).catch(() => null)
	const newToken = /name="dev-token" content="([\\w-]+)"/.exec((await response?.text()) ?? '')?.[1] ?? token
	const isNew = newToken !== token
	token = newToken
	return isNew
}

async function send(path, options) {
	let response
	try {
		response = await fetch(\`\${BASE}/api/\${path}\`, {...options, cache: 'no-store', redirect: 'error'})
	} catch {
		throw new ApiError({status: 0, detail: 'The app does not respond'})
	}
	const body = await response.json().catch(() => null)
	if (!response.ok) throw new ApiError({status: response.status, detail: problemDetail(body, response.status)})
	return body
}

function problemDetail(body, status) {
	const detail = isJson(body) ? body['detail'] : null
	return typeof detail === 'string' ? detail : \`The console responded with \${status}\`
}

// ui/live/leader.ts

const NAME$1 = \`dev-console \${BASE}\`

const tabs = new BroadcastChannel(NAME$1)

const TAB = Math.random().toString(36).slice(2)

function broadcast(message) {
	tabs.postMessage(message)
}

function requestLead(begin) {
	const waiting = new AbortController()
	let end = null
	let release = null
	const holdLock = () =>
		new Promise(resolve => {
			release = resolve
			end = begin()
		})
	if ('locks' in navigator) {
		navigator.locks.request(NAME$1, {signal: waiting.signal}, holdLock).catch(() => undefined)
	} else {
		void holdLock()
	}
	return {
		leave: () => {
			waiting.abort()
			end?.()
			release?.()
		},
	}
}

// ui/live/stream.ts

const EVENT_NAMES = ['hello', 'req', 'open', 'log', 'tick', 'problem', 'routes', 'cleared', 'pinned', 'gap', 'bye']

function openStream(listener) {
	const source = new EventSource(\`\${BASE}/events\`)
	for (const name of EVENT_NAMES) {
		source.addEventListener(name, event => {
			if (!(event instanceof MessageEvent)) return
			listener.message({name, data: JSON.parse(event.data)})
		})
	}
	source.addEventListener('error', () => {
		if (source.readyState === EventSource.CLOSED) listener.refused()
		else listener.broken()
	})
	return () => source.close()
}

// ui/live/optional-events.ts

class OptionalEvents {
	#local = []
	#others = new Map()
	#stream = null
	#requested = ''

	get isLeader() {
		return this.#stream !== null
	}

	set(want) {
		this.#local = want
		broadcast({kind: 'want', tab: TAB, want})
		this.#request()
	}

	setOther(tab, want) {
		if (want.length === 0) this.#others.delete(tab)
		else this.#others.set(tab, want)
		this.#request()
	}

	lead(stream) {
		this.#stream = stream
		this.#requested = ''
		this.#request()
	}

	follow() {
		this.#stream = null
	}

	#request() {
		const needed = new Set([...this.#local, ...[...this.#others.values()].flat()])
		const want = ['log', 'open'].filter(event => needed.has(event))
		const requested = want.join(' ')
		if (this.#stream === null || requested === this.#requested) return
		this.#requested = requested
		api.settings({stream: this.#stream, want}).catch(() => undefined)
	}
}

// ui/pure/server-clock.ts

let offset = Date.now() - performance.now()

function setServerNow(now, age = 0) {
	if (Math.abs(now - serverNow()) > age) offset = now - performance.now()
}

function serverNow() {
	return performance.now() + offset
}

// ui/live/feed.ts

const HIDDEN_MS$1 = 60_000
const POLL_MS = 3_000
const RETRY_MS = 30_000
const MISSING_MS = 1_000

class FeedClient {
	#store
	optionalEvents = new OptionalEvents()
	#leadership = null
	#hiding
	#polling
	#isReadScheduled = false
	#isReading = false
	#mustReadAgain = false
	#seq = null
	#isClosing = false
	#failure = null

	constructor(store) {
		this.#store = store
	}

	get isReader() {
		return this.optionalEvents.isLeader || this.#store.state.link === 'polling'
	}

	start() {
		tabs.addEventListener('message', event => this.#handleTabMessage(event.data))
		document.addEventListener('visibilitychange', () => this.#handleVisibility())
		addEventListener('pagehide', () => this.optionalEvents.set([]))
		broadcast({kind: 'who'})
		this.#join()
		void this.refresh()
	}

	async refresh() {
		if (this.#isReading) {
			this.#mustReadAgain = true
			return
		}
		this.#isReading = true
		try {
			do {
				this.#mustReadAgain = false
				this.#applySnapshot(await api.snapshot())
				this.#failure = null
			} while (this.#mustReadAgain)
		} catch (error) {
			this.#failure = error instanceof ApiError && error.status === 401 ? 'locked' : 'lost'
			if (error instanceof ApiError && this.#store.state.link !== 'restarting') this.#setLink(this.#failure)
		} finally {
			this.#isReading = false
		}
	}

	#applySnapshot(snapshot) {
		setTitles(snapshot.titles)
		setServerNow(snapshot.now)
		noteBoot(snapshot.boot)
		this.#seq = Math.max(this.#seq ?? 0, snapshot.seq)
		this.#store.update(state => applySnapshot(state, snapshot))
		if (this.#store.state.link === 'connecting' && this.#leadership === null) this.#setLink('polling')
	}

	async refreshMetrics() {
		const metrics = await api.metrics().catch(() => null)
		if (metrics !== null) this.#store.update(state => applyMetrics(state, metrics))
	}

	#join() {
		this.#leadership ??= requestLead(() => this.#lead())
	}

	#lead() {
		let close = () => {}
		let retry
		const open = () => {
			clearTimeout(retry)
			close = openStream({
				message: message => {
					this.#share(message)
					if (message.name === 'hello') this.optionalEvents.lead(message.data.stream)
				},
				broken: () => this.#announce(this.#isClosing ? 'restarting' : 'lost'),
				refused: () => {
					void this.#poll(open)
					retry = setTimeout(open, RETRY_MS)
				},
			})
		}
		open()
		return () => {
			clearTimeout(retry)
			clearTimeout(this.#polling)
			this.optionalEvents.follow()
			close()
		}
	}

	async #poll(open) {
		clearTimeout(this.#polling)
		await this.refresh()
		this.#announce(this.#failure ?? 'polling')
		this.#polling = setTimeout(() => {
			const {link} = this.#store.state
			if (link === 'locked') open()
			else if (link !== 'live') void this.#poll(open)
		}, POLL_MS)
	}

	#share(message) {
		broadcast({kind: 'feed', message})
		this.#handleMessage(message)
	}

	#handleMessage(message) {
		if (message.name === 'bye') {
			this.#isClosing = true
			this.#setLink('restarting')
		}
		if (message.name === 'hello') {
			this.#isClosing = false
			noteBoot(message.data.boot)
			setServerNow(message.data.now)
			this.#setLink('live')
			if (!message.data.resumed) {
				this.#seq = null
				void this.refresh()
			}
		}
		if (message.name === 'tick') setServerNow(message.data.time, 3_000)
		if (message.name === 'req') this.#checkSequence(message.data.items)
		if (message.name === 'gap') void this.refresh()
		const data = message.data
		this.#store.update(state => applyEvent(state, message.name, data))
	}

	#checkSequence(items) {
		const [oldest] = items
		const newest = items.at(-1)
		if (oldest === undefined || newest === undefined || this.#seq === null) return
		if (oldest.seq > this.#seq + 1) this.#scheduleRead()
		this.#seq = Math.max(this.#seq, newest.seq)
	}

	#scheduleRead() {
		if (this.#isReadScheduled) return
		this.#isReadScheduled = true
		setTimeout(() => {
			this.#isReadScheduled = false
			void this.refresh()
		}, MISSING_MS)
	}

	#announce(link) {
		broadcast({kind: 'link', link})
		this.#setLink(link)
	}

	#setLink(link) {
		this.#store.update(state => withLink(state, link, serverNow()))
	}

	#handleTabMessage(message) {
		if (message.kind === 'want') this.optionalEvents.setOther(message.tab, message.want)
		if (message.kind === 'feed') this.#handleMessage(message.message)
		if (message.kind === 'link') this.#setLink(message.link)
		if (message.kind === 'who' && this.optionalEvents.isLeader) broadcast({kind: 'link', link: this.#store.state.link})
	}

	#handleVisibility() {
		clearTimeout(this.#hiding)
		if (document.visibilityState === 'visible') {
			this.#join()
			void this.refresh()
		} else {
			this.#hiding = setTimeout(() => {
				this.#leadership?.leave()
				this.#leadership = null
			}, HIDDEN_MS$1)
		}
	}
}

// ui/pure/parse-values.ts

const MAX_ITEMS = 2_000

function textOr(value, fallback) {
	return typeof value === 'string' ? value : fallback
}

function numberOr(value, fallback) {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback
}

function parseList(value, parse) {
	const items = Array.isArray(value) ? value.slice(0, MAX_ITEMS) : []
	return items.map(item => parse(item)).filter(item => item !== null)
}

function parseStrings(value) {
	return parseList(value, item => textOr(item, null))
}

// ui/pure/parse-record.ts

const ID = /^[\\w-]{1,60}$/
const BOOT = /^[\\w-]{1,40}$/
const MAX_CAUSES = 6
const MAX_TIME = 8.64e15

function parseRecord(value) {
	const json = objectOrEmpty(value)
	const summary = parseSummary(json)
	if (summary === null) return null
	return {
		...summary,
		'url.scheme': json['url.scheme'] === 'https' ? 'https' : 'http',
		'server.address': textOr(json['server.address'], ''),
		'user_agent.original': textOr(json['user_agent.original'], null),
		'network.protocol.version': textOr(json['network.protocol.version'], '1.1'),
		'code.file.path': textOr(json['code.file.path'], null),
		'code.line.number': numberOr(json['code.line.number'], null),
		'dev.traceId': textOr(json['dev.traceId'], null),
		params: textMembers(json['params']),
		decorators: parseStrings(json['decorators']),
		request: parseMessage(json['request']),
		response: parseMessage(json['response']),
		calls: parseList(json['calls'], parseCall),
		callsMore: numberOr(json['callsMore'], 0),
		queries: parseList(json['queries'], parseQuery),
		queriesMore: numberOr(json['queriesMore'], 0),
		repeated: parseList(json['repeated'], parseRepeated),
		logs: parseList(json['logs'], parseLine),
		issues: parseList(json['issues'], parseIssue),
		vendor: textOr(json['vendor'], null),
		error: parseError(json['error'], 0),
		version: parseVersion(json['version']),
		aborted: json['aborted'] === true,
		callOuts: parseList(json['callOuts'], parseCallOut),
		about: parseList(json['about'], parseAbout),
	}
}

function parseSummary(json) {
	const {id, boot, time} = json
	const {'http.request.method': method, 'url.path': path, 'http.response.status_code': status} = json
	if (typeof id !== 'string' || !ID.test(id) || typeof boot !== 'string' || !BOOT.test(boot)) return null
	if (typeof method !== 'string' || typeof path !== 'string' || !isTime(time) || !isStatus(status)) return null
	const version = parseVersion(json['dev.version'])
	return {
		id,
		boot,
		time,
		'http.request.method': method,
		'url.path': path,
		'http.response.status_code': status,
		'dev.requestId': textOr(json['dev.requestId'], null),
		seq: numberOr(json['seq'], 0),
		'url.query': textOr(json['url.query'], ''),
		'http.route': textOr(json['http.route'], null),
		'code.function.name': textOr(json['code.function.name'], null),
		'process.pid': numberOr(json['process.pid'], 0),
		'client.address': textOr(json['client.address'], null),
		'http.request.body.size': numberOr(json['http.request.body.size'], 0),
		'http.response.body.size': numberOr(json['http.response.body.size'], 0),
		'error.type': textOr(json['error.type'], null),
		'dev.duration': numberOr(json['dev.duration'], 0),
		'dev.phases': parseList(json['dev.phases'], each => numberOr(each, null)),
		'dev.db': numberOr(json['dev.db'], 0),
		'dev.queries': numberOr(json['dev.queries'], 0),
		'dev.logs': numberOr(json['dev.logs'], 0),
		'dev.issues': numberOr(json['dev.issues'], 0),
		'dev.flags': parseStrings(json['dev.flags']).filter(flag => flag !== 'inflight'),
		'dev.version': version && {asked: version.asked, constraint: version.constraint, ok: version.ok},
		'dev.replayOf': textOr(json['dev.replayOf'], null),
		'dev.pinned': json['dev.pinned'] === true,
	}
}

function isTime(value) {
	return typeof value === 'number' && Math.abs(value) <= MAX_TIME
}

function isStatus(value) {
	return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1_000
}

function textMembers(value) {
	const entries = Object.entries(objectOrEmpty(value))
	return Object.fromEntries(entries.flatMap(([name, each]) => (typeof each === 'string' ? [[name, each]] : [])))
}

function parseMessage(value) {
	const {headers, body} = objectOrEmpty(value)
	return {headers: parseHeaders$1(headers), body: body === null || body === undefined ? null : parseBody(body)}
}

function parseHeaders$1(value) {
	return parseList(value, pair => {
		const [name, text, ...rest] = parseStrings(pair)
		return name === undefined || text === undefined || rest.length > 0 ? null : [name, text]
	})
}

function parseBody(value) {
	const {type, size, text, hex, truncated, omitted} = objectOrEmpty(value)
	return {
		type: textOr(type, null),
		size: numberOr(size, 0),
		text: textOr(text, null),
		hex: typeof hex === 'string' && /^[\\da-f]*$/.test(hex) ? hex : null,
		truncated: truncated === true,
		omitted: textOr(omitted, null),
	}
}

function parseCall(value) {
	const json = objectOrEmpty(value)
	if (typeof json['name'] !== 'string') return null
	return {
		name: json['name'],
		start: numberOr(json['start'], 0),
		duration: numberOr(json['duration'], 0),
		own: numberOr(json['own'], 0),
		args: textOr(json['args'], ''),
		result: textOr(json['result'], null),
		error: textOr(json['error'], null),
		site: parsePlace(json['site']),
	}
}

function parseQuery(value) {
	const json = objectOrEmpty(value)
	if (typeof json['kind'] !== 'string' || typeof json['text'] !== 'string') return null
	return {
		kind: json['kind'],
		text: json['text'],
		params: textOr(json['params'], null),
		target: textOr(json['target'], null),
		start: numberOr(json['start'], 0),
		duration: numberOr(json['duration'], null),
		rows: numberOr(json['rows'], null),
		status: numberOr(json['status'], null),
		error: textOr(json['error'], null),
		site: parsePlace(json['site']),
		call: numberOr(json['call'], null),
		shape: numberOr(json['shape'], 0),
	}
}

function parseRepeated(value) {
	const {kind, name, count, total, site} = objectOrEmpty(value)
	if (typeof name !== 'string') return null
	return {kind: textOr(kind, null), name, count: numberOr(count, 1), total: numberOr(total, 0), site: parsePlace(site)}
}

function parsePlace(value) {
	const {file, line} = objectOrEmpty(value)
	return typeof file === 'string' && typeof line === 'number' ? {file, line} : null
}

function parseLine(value) {
	const {seq, time, level, message, fields, request} = objectOrEmpty(value)
	if (typeof level !== 'string' || typeof message !== 'string' || !isTime(time)) return null
	const parsedFields = fields === null || fields === undefined ? null : objectOrEmpty(fields)
	return {seq: numberOr(seq, 0), time, level, message, fields: parsedFields, request: textOr(request, null)}
}

function parseIssue(value) {
	const {side, where, message, code, received, missing} = objectOrEmpty(value)
	if (typeof where !== 'string' || typeof message !== 'string') return null
	return {side: side === 'response' ? 'response' : 'request', where, message, code: textOr(code, null), received: textOr(received, null), missing: missing === true}
}

function parseError(value, depth) {
	const {name, code, message, frames, source, cause, members} = objectOrEmpty(value)
	if (typeof name !== 'string' || depth > MAX_CAUSES) return null
	return {
		name,
		...(typeof code === 'string' ? {code} : {}),
		message: textOr(message, ''),
		frames: parseList(frames, parseFrame),
		source: parseSource(source),
		cause: parseError(cause, depth + 1),
		members: parseList(members, member => parseError(member, depth + 1)),
	}
}

function parseFrame(value) {
	const json = objectOrEmpty(value)
	const place = parsePlace(json)
	if (place === null) return null
	const kind = ['app', 'library', 'node'].find(each => each === json['kind']) ?? 'library'
	const [n, column] = [numberOr(json['n'], 0), numberOr(json['column'], 0)]
	return {...place, n, function: textOr(json['function'], ''), column, kind}
}

function parseSource(value) {
	const {first, lines} = objectOrEmpty(value)
	const place = parsePlace(value)
	return place === null ? null : {...place, first: numberOr(first, 1), lines: parseStrings(lines)}
}

function parseVersion(value) {
	const {asked, constraint, ok, from, isDefault, alternatives} = objectOrEmpty(value)
	if (typeof constraint !== 'string') return null
	return {asked: textOr(asked, null), constraint, ok: ok === true, from: textOr(from, ''), isDefault: isDefault === true, alternatives: parseStrings(alternatives)}
}

function parseCallOut(value) {
	const {kind, title, text} = objectOrEmpty(value)
	const knownKind = ['bad', 'warn', 'note'].find(name => name === kind)
	if (knownKind === undefined) return null
	return {kind: knownKind, title: parseList(title, parseCallOutPart), text: parseList(text, parseCallOutPart)}
}

function parseCallOutPart(value) {
	if (typeof value === 'string') return value
	const {code, place, ms, tab, text} = objectOrEmpty(value)
	if (typeof code === 'string') return {code}
	const parsedPlace = parsePlace(place)
	const column = numberOr(objectOrEmpty(place)['column'], undefined)
	if (parsedPlace !== null) return {place: {...parsedPlace, ...(column !== undefined && {column})}}
	if (typeof ms === 'number') return {ms}
	return typeof tab === 'string' && typeof text === 'string' ? {tab, text} : null
}

function parseAbout(value) {
	const [name, parts] = Array.isArray(value) ? value : []
	if (typeof name !== 'string') return null
	return [name, parseList(parts, parseAboutPart)]
}

function parseAboutPart(value) {
	const {dim} = objectOrEmpty(value)
	return typeof dim === 'string' ? {dim} : parseCallOutPart(value)
}

// ui/pure/parse-run.ts

const KINDS$1 = [...['exception', 'slow', 'invalid', 'repeated', 'stall'], ...['mismatch', 'version', 'silent', 'large', 'burst']]

function parseRun(value) {
	const {boot, started, incidents, endpoints} = objectOrEmpty(value)
	if (typeof boot !== 'string' || typeof started !== 'number' || !Number.isFinite(started)) return null
	return {boot, started, incidents: parseList(incidents, parseIncident), endpoints: parseList(endpoints, parseEndpoint)}
}

function parseEndpoint(value) {
	const {endpoint, median} = objectOrEmpty(value)
	return typeof endpoint === 'string' ? {endpoint, median: numberOr(median, 0)} : null
}

function parseIncident(value) {
	const json = objectOrEmpty(value)
	const kind = KINDS$1.find(each => each === json['kind'])
	if (kind === undefined || typeof json['key'] !== 'string') return null
	return {
		key: json['key'],
		kind,
		endpoint: textOr(json['endpoint'], null),
		title: parseStrings(json['title']),
		detail: textOr(json['detail'], ''),
		count: numberOr(json['count'], 1),
		unit: textOr(json['unit'], 'times'),
		trend: parseList(json['trend'], each => numberOr(each, null)),
		first: numberOr(json['first'], 0),
		last: numberOr(json['last'], 0),
		facts: parseStrings(json['facts']),
		query: textOr(json['query'], ''),
		sample: textOr(json['sample'], null),
	}
}

// ui/live/stored-items.ts

const LIMITS = {records: {count: 500, bytes: 8 * 1024 * 1024}, runs: {count: 20, bytes: 1024 * 1024}}

const BY_SIZE = 'size'

class StoredItems {
	#table
	#database
	#memory = new Map()

	constructor(table, database) {
		this.#table = table
		this.#database = database
	}

	async put(item) {
		const isStored = await this.#use('readwrite', table => {
			table.put(item)
			dropOldest(table, LIMITS[this.#table])
		})
		if (isStored !== null) this.#memory.delete(item.id)
		else this.#putInMemory(item)
	}

	async get(id) {
		const request = await this.#use('readonly', table => table.get(id))
		return request?.result ?? this.#memory.get(id) ?? null
	}

	async all(app) {
		const request = await this.#use('readonly', table => table.getAll())
		const items = [...(request?.result ?? []), ...this.#memory.values()]
		return items.filter(item => item.app === app).toSorted((a, b) => b.time - a.time)
	}

	async clear(app, except) {
		const ids = (await this.all(app)).map(({id}) => id).filter(id => !except.has(id))
		for (const id of ids) this.#memory.delete(id)
		await this.#use('readwrite', table => {
			for (const id of ids) table.delete(id)
		})
	}

	#putInMemory(item) {
		const {count, bytes} = LIMITS[this.#table]
		this.#memory.delete(item.id)
		this.#memory.set(item.id, item)
		let total = [...this.#memory.values()].reduce((sum, stored) => sum + stored.bytes, 0)
		for (const [id, oldest] of this.#memory) {
			if (this.#memory.size <= count && total <= bytes) return
			total -= oldest.bytes
			this.#memory.delete(id)
		}
	}

	async #use(mode, run) {
		const database = await this.#database
		if (database === null) return null
		try {
			const transaction = database.transaction(this.#table, mode)
			const result = run(transaction.objectStore(this.#table))
			return await new Promise(resolve => {
				transaction.addEventListener('complete', () => resolve(result))
				transaction.addEventListener('abort', () => resolve(null))
			})
		} catch {
			return null
		}
	}
}

function dropOldest(table, limits) {
	let [count, bytes] = [0, 0]
	const request = table.index(BY_SIZE).openKeyCursor(null, 'prev')
	request.onsuccess = () => {
		const cursor = request.result
		if (cursor === null) return
		const [, size] = Array.isArray(cursor.key) ? cursor.key : []
		count++
		bytes += Number(size)
		if (count > limits.count || bytes > limits.bytes) table.delete(cursor.primaryKey)
		cursor.continue()
	}
}

function openDatabase() {
	return new Promise(resolve => {
		try {
			const opening = indexedDB.open(\`dev-console \${BASE}\`, 1)
			opening.onupgradeneeded = () => {
				for (const name of Object.keys(LIMITS)) {
					opening.result.createObjectStore(name, {keyPath: 'id'}).createIndex(BY_SIZE, ['time', 'bytes'])
				}
			}
			opening.onsuccess = () => {
				opening.result.onversionchange = () => opening.result.close()
				resolve(opening.result)
			}
			opening.addEventListener('error', () => resolve(null))
			opening.addEventListener('blocked', () => resolve(null))
		} catch {
			resolve(null)
		}
	})
}

// ui/live/keeper.ts

const BURST = 20
const PER_SECOND = 5
const MAX_QUEUED = 200
const RUN_MS = 500
const MAX_BYTES = 2 * 1024 * 1024
const MAX_KNOWN = 5_000

class Keeper {
	#store
	#isReader
	#records
	#runs
	#known = new Set()
	#queue = new Map()
	#allowance = BURST
	#isReading = false
	#app = ''
	#previous
	#isRunScheduled = false

	constructor(store, isReader) {
		const database = openDatabase()
		this.#store = store
		this.#isReader = isReader
		this.#records = new StoredItems('records', database)
		this.#runs = new StoredItems('runs', database)
		this.#previous = store.state
		store.subscribe(state => this.#update(state))
		setInterval(() => this.#refill(), 1_000)
	}

	async find(id) {
		const item = await this.#records.get(id)
		return item === null || (this.#app !== '' && item.app !== this.#app) ? null : parseText(item.text, parseRecord)
	}

	async records() {
		const items = await this.#records.all(this.#app)
		return items.flatMap(({text}) => parseText(text, parseRecord) ?? [])
	}

	#update(state) {
		const before = this.#previous
		this.#previous = state
		const {app, boot} = state
		if (app === null || boot === '') return
		const isFirst = this.#app === ''
		this.#app = app.name
		if (isFirst) void this.#restore()
		if (state.clears !== before.clears) this.#clear(state)
		if (!this.#isReader()) return
		if (before.boot !== boot) this.#saveEnded(state, before.boot)
		if (state.records !== before.records || state.held !== before.held) this.#enqueue([...state.held.records, ...state.records])
		if (state.records !== before.records || state.problems !== before.problems) this.#scheduleRun()
	}

	async #restore() {
		const [records, runs] = await Promise.all([this.records(), this.#runs.all(this.#app)])
		const parsedRuns = runs.flatMap(({text}) => parseText(text, parseRun) ?? [])
		this.#store.update(state => applyStored(state, records, parsedRuns))
	}

	#clear({records}) {
		this.#queue.clear()
		const pinned = new Set(records.filter(record => record['dev.pinned']).map(({id}) => id))
		void this.#records.clear(this.#app, pinned)
		void this.#runs.clear(this.#app, new Set())
	}

	#saveEnded({runs}, boot) {
		const ended = runs.find(run => run.boot === boot)
		if (ended !== undefined) void this.#saveRun(ended)
	}

	#scheduleRun() {
		if (this.#isRunScheduled) return
		this.#isRunScheduled = true
		setTimeout(() => {
			this.#isRunScheduled = false
			void this.#saveRun(summarizeRun(this.#store.state))
		}, RUN_MS)
	}

	async #saveRun(run) {
		const text = JSON.stringify(run)
		await this.#runs.put({id: run.boot, app: this.#app, time: run.started, bytes: countBytes(text), text})
	}

	#enqueue(records) {
		const {boot} = this.#store.state
		if (this.#known.size > MAX_KNOWN) this.#known.clear()
		for (const record of records) {
			const key = \`\${record.id} \${record['dev.pinned']}\`
			if (record.boot !== boot || !isNotable(record) || this.#known.has(key)) continue
			this.#known.add(key)
			if (this.#queue.size < MAX_QUEUED) this.#queue.set(record.id, record)
		}
		void this.#readAll()
	}

	#refill() {
		this.#allowance = Math.min(BURST, this.#allowance + PER_SECOND)
		void this.#readAll()
	}

	async #readAll() {
		if (this.#isReading) return
		this.#isReading = true
		for (const [id, summary] of this.#queue) {
			if (this.#allowance < 1) break
			this.#queue.delete(id)
			await this.#read(summary)
		}
		this.#isReading = false
	}

	async #read(summary) {
		const stored = summary['dev.pinned'] ? null : await this.#records.get(summary.id)
		if (stored !== null) return
		this.#allowance--
		try {
			await this.#save(await api.record(summary.id))
		} catch (error) {
			if (error instanceof ApiError && error.status === 0) this.#queue.clear()
		}
	}

	async #save(record) {
		const text = JSON.stringify(record)
		const bytes = countBytes(text)
		if (bytes > MAX_BYTES) return
		await this.#records.put({id: record.id, app: this.#app, time: record.time, bytes, text})
	}
}

function isNotable(record) {
	const isEnded = !record['dev.flags'].includes('inflight')
	const isBad = record['http.response.status_code'] === 0 || retentionGroup(record) !== 'ordinary'
	return isEnded && !isOfFile(record) && (isBad || record['dev.pinned'])
}

function countBytes(text) {
	return new TextEncoder().encode(text).length
}

function parseText(text, parse) {
	try {
		return parse(JSON.parse(String(text)))
	} catch {
		return null
	}
}

// ui/live/shelf.ts

const MAX_RECORDS = 60

const LOADING = {kind: 'loading'}

class Shelf {
	#store
	#keeper
	#records = new Map()
	#opened = new Map()
	#routes = null
	#openapi = null
	#previous

	constructor(store, keeper) {
		this.#store = store
		this.#keeper = keeper
		this.#previous = store.state
		store.subscribe(state => this.#update(state))
	}

	#update(state) {
		const {routesRead, boot, link} = this.#previous
		this.#previous = state
		if (link !== 'live' && state.link === 'live') this.#retryAll()
		const isRestarted = boot !== '' && state.boot !== boot
		if (isRestarted || state.routesRead !== routesRead) this.#rereadRoutes()
	}

	#rereadRoutes() {
		if (this.#routes !== null) void this.#load(api.routes, loaded => (this.#routes = loaded))
		if (this.#openapi !== null) void this.#load(api.openapi, loaded => (this.#openapi = loaded))
	}

	record(id) {
		const record = this.#opened.get(id) ?? this.#records.get(id)
		if (record !== undefined) return record
		this.#put(id, LOADING)
		void this.#load(
			() => this.#read(id),
			loaded => this.#put(id, loaded),
		)
		return LOADING
	}

	retry(id) {
		if (this.#records.get(id)?.kind === 'failed') this.#records.delete(id)
	}

	async load(id) {
		const record = this.#opened.get(id) ?? this.#records.get(id)
		if (record?.kind === 'ready') return record.value
		const value = await this.#read(id)
		this.#put(id, {kind: 'ready', value})
		return value
	}

	findInFile(id) {
		const record = this.#opened.get(id)
		return record?.kind === 'ready' ? record.value : undefined
	}

	stored() {
		return this.#keeper.records()
	}

	open(records) {
		this.#opened = new Map(records.map(value => [value.id, {kind: 'ready', value}]))
	}

	async #read(id) {
		const {records, boot} = this.#store.state
		if (isOfFile({boot: id})) throw new ApiError({status: 404, detail: 'The file is not open'})
		const listed = records.find(record => record.id === id)
		const isEarlier = listed !== undefined && listed.boot !== boot && !isOfFile(listed)
		const stored = isEarlier ? await this.#keeper.find(id) : null
		if (stored !== null) return stored
		try {
			return await api.record(id)
		} catch (error) {
			const record = await this.#keeper.find(id)
			if (record === null) throw error
			return record
		}
	}

	routes() {
		if (this.#routes !== null) return this.#routes
		this.#routes = LOADING
		void this.#load(api.routes, loaded => (this.#routes = loaded))
		return LOADING
	}

	openapi() {
		if (this.#openapi !== null) return this.#openapi
		this.#openapi = LOADING
		void this.#load(api.openapi, loaded => (this.#openapi = loaded))
		return LOADING
	}

	#retryAll() {
		for (const [id, loaded] of this.#records) if (loaded.kind === 'failed') this.#records.delete(id)
		if (this.#routes?.kind === 'failed') this.#routes = null
		if (this.#openapi?.kind === 'failed') this.#openapi = null
	}

	#put(id, loaded) {
		this.#records.delete(id)
		this.#records.set(id, loaded)
		const [oldest] = this.#records.keys()
		if (this.#records.size > MAX_RECORDS && oldest !== undefined) this.#records.delete(oldest)
	}

	async #load(read, put) {
		try {
			put({kind: 'ready', value: await read()})
		} catch (error) {
			if (error instanceof ApiError) put({kind: 'failed', error})
		}
		this.#store.touch()
	}
}

// ui/live/store.ts

const HIDDEN_MS = 1_000

class Store {
	#state = EMPTY
	#listeners = new Set()
	#isPending = false

	get state() {
		return this.#state
	}

	update(change) {
		const next = change(this.#state)
		if (next === this.#state) return
		this.#state = next
		this.touch()
	}

	touch() {
		if (this.#isPending) return
		this.#isPending = true
		if (document.visibilityState === 'hidden') setTimeout(() => this.#notify(), HIDDEN_MS)
		else requestAnimationFrame(() => this.#notify())
	}

	subscribe(listener) {
		this.#listeners.add(listener)
	}

	#notify() {
		this.#isPending = false
		for (const listener of this.#listeners) listener(this.#state)
	}
}

// ui/preferences.ts

const THEME = 'dev-console theme'
const KEYS = 'dev-console keys'

const THEMES = ['system', 'light', 'dark']

function theme() {
	const storedTheme = readPreference(THEME)
	return THEMES.find(name => name === storedTheme) ?? 'system'
}

function setTheme(name) {
	writePreference(THEME, name)
	showTheme()
}

function showTheme() {
	const name = theme()
	if (name === 'system') delete document.documentElement.dataset['theme']
	else document.documentElement.dataset['theme'] = name
}

function areKeysEnabled() {
	return readPreference(KEYS) !== 'off'
}

function enableKeys(isOn) {
	writePreference(KEYS, isOn ? 'on' : 'off')
}

const fallback = new Map()

function readPreference(key) {
	try {
		return localStorage.getItem(key)
	} catch {
		return fallback.get(key) ?? null
	}
}

function writePreference(key, value) {
	fallback.set(key, value)
	try {
		localStorage.setItem(key, value)
	} catch {}
}

// ui/pure/address.ts

const START = {view: 'requests', id: null, tab: '', q: '', level: '', sort: ''}

function parseAddress(hash) {
	const [view = '', ...rest] = splitPath(hash)
	const values = new URLSearchParams(hash.split('?').slice(1).join('?'))
	const read = name => values.get(name) ?? ''
	const id = hasDetails(view) ? decodeAddressPart(rest.join('/')) : ''
	return {view: isViewName(view) ? view : START.view, id: id === '' ? null : id, tab: read('tab'), q: read('q'), level: read('level'), sort: read('sort')}
}

function isKnownAddress(hash) {
	const [view, ...rest] = splitPath(hash)
	return view === undefined || (isViewName(view) && (rest.length === 0 || hasDetails(view)))
}

function splitPath(hash) {
	const [path = ''] = hash.replace(/^#/, '').split('?')
	return path.split('/').filter(Boolean)
}

function hasDetails(view) {
	return view === 'requests' || view === 'routes'
}

function formatAddress(address) {
	const {view, id, tab, q, level, sort} = {...START, ...address}
	const values = new URLSearchParams()
	for (const [name, value] of Object.entries({tab, q, level, sort})) if (value !== '') values.set(name, value)
	const query = values.size === 0 ? '' : \`?\${values.toString()}\`
	return \`#/\${view}\${id === null ? '' : \`/\${encodeURIComponent(id)}\`}\${query}\`
}

function decodeAddressPart(text) {
	try {
		return decodeURIComponent(text)
	} catch {
		return text
	}
}

// ui/pure/palette.ts

function paletteEntries(routes, records, filteredView) {
	const views = VIEWS.map(view => {
		return {icon: view, text: capitalize(view), note: 'View', address: filteredView(view)}
	})
	const endpoints = routes.map(({id, method, template}) => {
		return {icon: 'routes', text: \`\${method} \${template}\`, note: id, address: {view: 'routes', id}}
	})
	const requests = records.map(record => {
		const text = \`\${record['http.response.status_code']} \${record['http.request.method']} \${record['url.path']}\`
		const ids = record['dev.requestId'] ?? ''
		return {icon: 'requests', text, note: ms(record['dev.duration']), address: {id: record.id}, ids}
	})
	return [...views, ...endpoints, ...requests]
}

function capitalize(name) {
	return name.charAt(0).toUpperCase() + name.slice(1)
}

function searchPalette(entries, text, limit) {
	const words = text.toLowerCase().split(/\\s+/).filter(Boolean)
	const matches = entries.filter(({text, note, address, ids = ''}) => {
		const searched = \`\${text} \${note} \${address.id ?? ''} \${ids}\`.toLowerCase()
		return words.every(word => searched.includes(word))
	})
	const isFirst = entry => words[0] !== undefined && entry.text.toLowerCase().startsWith(words[0])
	return [...matches.filter(isFirst), ...matches.filter(entry => !isFirst(entry))].slice(0, limit)
}

// ui/pure/shortcuts.ts

const SHORTCUTS = [
	['Filter', '/'],
	['Next, previous request', 'j', 'k'],
	['Open', 'Enter'],
	['Close details', 'Esc'],
	['Replay', 'r'],
	['Edit and resend', 'e'],
	['Copy as cURL', 'c'],
	['Pin or unpin', 'p'],
	['Pause or resume', 'Space'],
	['Clear', 'Shift X'],
	['Open a file', 'o'],
	['Switch view', \`1 to \${VIEWS.length}\`],
	['Theme', 't'],
	['Jump to', 'Ctrl K'],
	['This list', '?'],
]

const COMMANDS$1 = new Map([
	['/', 'filter'],
	['j', 'next'],
	['k', 'previous'],
	['Enter', 'open'],
	['r', 'replay'],
	['e', 'edit'],
	['c', 'copy'],
	['p', 'pin'],
	[' ', 'pause'],
	['X', 'clear'],
	['o', 'file'],
	['t', 'theme'],
	['?', 'help'],
	...VIEWS.map((_, index) => [String(index + 1), \`view-\${index}\`]),
])

function findCommand(pressed, isOn) {
	const {key, ctrl, alt} = pressed
	if (ctrl || alt) return !alt && key.toLowerCase() === 'k' ? 'palette' : null
	if (key === 'Escape') return 'close'
	return isOn && isFree(pressed) ? (COMMANDS$1.get(key) ?? null) : null
}

function isFree({key, isTyping, isOnControl, isOnPanel = false}) {
	if (isTyping || (isOnPanel && key === ' ')) return false
	return !(isOnControl && (key === ' ' || key === 'Enter'))
}

// ui/pure/credentials.ts

function credentialKey(place, name) {
	return \`\${place} \${place === 'header' ? name.toLowerCase() : name}\`
}

function missingCredentials(record) {
	const names = record.request.headers.filter(([name, value]) => containsSecret(value) && isSendable(name))
	const headers = names.map(([name]) => ({key: credentialKey('header', name), label: headerLabel(name)}))
	const query = [...new URLSearchParams(record['url.query'])].filter(([, value]) => value === REDACTED_MARK)
	return [...headers, ...query.map(([name]) => ({key: credentialKey('query', name), label: name}))]
}

function isSendable(name) {
	const lower = name.toLowerCase()
	return canSendHeader(lower) && lower !== 'x-dev-token'
}

function headerLabel(name) {
	return name.replaceAll(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())
}

function listNames(names) {
	const lastName = names.at(-1) ?? ''
	return names.length < 2 ? lastName : \`\${names.slice(0, -1).join(', ')} and \${lastName}\`
}

function withCredentials(request, read) {
	const headers = request.headers.map(([name, value]) => {
		const stored = read(credentialKey('header', name))
		return [name, containsSecret(value) && stored !== '' ? headerValue(name, stored) : value]
	})
	const cookie = headers.find(([name, value]) => name.toLowerCase() === 'cookie' && !containsSecret(value))
	const cookies = [request.cookies ?? '', cookie?.[1] ?? ''].filter(each => each !== '').join('; ')
	return {...request, url: withQuery(request.url, read), headers, cookies}
}

function withQuery(url, read) {
	const [path = '', ...rest] = url.split('?')
	if (rest.length === 0) return url
	const pairs = rest.join('?').split('&')
	const completed = pairs.map(pair => {
		const [name = '', value] = pair.split('=')
		const stored = value === REDACTED_MARK ? read(credentialKey('query', decodeName(name))) : ''
		return stored === '' ? pair : \`\${name}=\${encodeURIComponent(stored)}\`
	})
	return \`\${path}?\${completed.join('&')}\`
}

function decodeName(name) {
	return new URLSearchParams(name).keys().next().value ?? name
}

function headerValue(name, typed) {
	const value = typed.trim()
	return name.toLowerCase() === 'authorization' && value !== '' && !value.includes(' ') ? \`Bearer \${value}\` : value
}

function schemeCredentials(schemes, read) {
	const stored = schemes.map(scheme => {
		const {kind, name} = scheme
		if (kind !== 'basic' && kind !== 'http') return {place: kind, name, value: read(credentialKey(kind, name))}
		return {place: 'header', name: 'authorization', value: authorizationFor(scheme, read)}
	})
	return stored.filter(({value}) => value !== '')
}

function authorizationFor({kind, name}, read) {
	const value = read(credentialKey('header', 'authorization'))
	const isAny = kind === 'http' && name === 'Authorization'
	return isAny || /^basic /i.test(value) === (kind === 'basic') ? value : ''
}

function basicCredentials(user, password) {
	const bytes = new TextEncoder().encode(\`\${user}:\${password}\`)
	return user === '' && password === '' ? '' : \`Basic \${btoa(String.fromCharCode(...bytes))}\`
}

function readBasic(authorization) {
	const [, coded = ''] = /^basic +([\\w+/=]+)$/i.exec(authorization) ?? []
	try {
		const text = new TextDecoder().decode(Uint8Array.from(atob(coded), letter => letter.charCodeAt(0)))
		const end = text.indexOf(':')
		return end === -1 ? ['', ''] : [text.slice(0, end), text.slice(end + 1)]
	} catch {
		return ['', '']
	}
}

function parseHeaders(text) {
	const headers = []
	for (const line of text.split('\\n').map(each => each.trim())) {
		const [, name, value] = /^([!#$%&'*+.^\`|~\\w-]+):(.*)$/.exec(line) ?? []
		if (name !== undefined && value !== undefined) headers.push([name, value.trim()])
		else if (line !== '') return line
	}
	return headers
}

// ui/live/credentials.ts

const KEY = 'dev-console credentials'
const MAX_COUNT = 50
const MAX_LENGTH = 8_192

const COOKIE_HEADER = credentialKey('header', 'cookie')
const COOKIE_PREFIX = credentialKey('cookie', '')

const values = new Map(readStored())

function readCredential(key) {
	if (key !== COOKIE_HEADER) return values.get(key) ?? ''
	const cookies = [...values].filter(([storedKey]) => storedKey.startsWith(COOKIE_PREFIX))
	return cookies.map(([storedKey, value]) => \`\${storedKey.slice(COOKIE_PREFIX.length)}=\${value}\`).join('; ')
}

function writeCredential(key, value) {
	if (key !== COOKIE_HEADER) return store$1(key, value)
	const cookieKeys = [...values.keys()].filter(storedKey => storedKey.startsWith(COOKIE_PREFIX))
	for (const cookieKey of cookieKeys) store$1(cookieKey, '')
	for (const [name, cookieValue] of splitCookies(value)) store$1(credentialKey('cookie', name), cookieValue)
}

function store$1(key, value) {
	values.delete(key)
	if (value !== '' && value.length <= MAX_LENGTH) values.set(key, value)
	const [oldest] = values.keys()
	if (values.size > MAX_COUNT && oldest !== undefined) values.delete(oldest)
	try {
		sessionStorage.setItem(KEY, JSON.stringify([...values]))
	} catch {}
}

function readStored() {
	try {
		return JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
	} catch {
		return []
	}
}

function setCookies(text) {
	const before = new Map(splitCookies(document.cookie))
	const changed = splitCookies(text).filter(([name, value]) => before.get(name) !== value)
	for (const [name, value] of changed) document.cookie = cookieLine(name, value)
	return () => {
		for (const [name] of changed) document.cookie = cookieLine(name, before.get(name) ?? null)
	}
}

function splitCookies(text) {
	const pairs = text.split(';').map(pair => pair.trim().split('='))
	return pairs.flatMap(([name = '', ...value]) => (name === '' ? [] : [[name, value.join('=')]]))
}

function cookieLine(name, value) {
	const secure = /^__(?:secure|host)-/i.test(name) ? '; Secure' : ''
	return \`\${name}=\${value ?? ''}; Path=/; SameSite=Strict\${secure}\${value === null ? '; Max-Age=0' : ''}\`
}

// ui/live/send.ts

async function sendTry(request, origin, signal) {
	const complete = withCredentials(request, readCredential)
	const restore = setCookies(complete.cookies ?? '')
	const begin = performance.now()
	try {
		const response = await fetch(complete.url, {...fetchOptions(complete, origin), signal: signal ?? null})
		const bytes = await response.arrayBuffer()
		const type = response.headers.get('content-type')
		const duration = performance.now() - begin
		return {status: response.status, duration, type, headers: [...response.headers], bytes, text: decode(bytes, type)}
	} finally {
		restore()
	}
}

function fetchOptions(request, origin) {
	const headers = new Headers()
	for (const [name, value] of settableHeaders(request.headers)) headers.append(name, value)
	headers.set(REPLAY_HEADER, origin)
	const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
	const body = hasBody ? toFetchBody(request) : null
	const credentials = opensPrompt(request, headers) ? 'omit' : 'same-origin'
	return {method: request.method, headers, body, credentials, redirect: 'manual', cache: 'no-store'}
}

function opensPrompt({cookies = '', isBasic = false}, headers) {
	return cookies === '' && (isBasic || /^basic /i.test(headers.get('authorization') ?? ''))
}

function toFetchBody({body, parts}) {
	if (parts === undefined) return body
	const form = new FormData()
	for (const [name, value] of parts) form.append(name, value)
	return form
}

function decode(bytes, type) {
	const [, charset = 'utf-8'] = /charset="?([\\w-]+)/i.exec(type ?? '') ?? []
	try {
		return new TextDecoder(charset).decode(bytes)
	} catch {
		return new TextDecoder().decode(bytes)
	}
}

// ui/views/ask-credentials.ts

const askedKeys = new Set()
const MAX_KEYS = 200

async function hasCredentials(record) {
	const missing = missingCredentials(record).filter(({key}) => readCredential(key) === '' && !askedKeys.has(key))
	if (missing.length === 0) return true
	const isConfirmed = await askFor(missing)
	if (isConfirmed && askedKeys.size < MAX_KEYS) for (const {key} of missing) askedKeys.add(key)
	return isConfirmed
}

function forgetCredentials(record) {
	const used = missingCredentials(record).filter(({key}) => readCredential(key) !== '')
	for (const {key} of used) {
		writeCredential(key, '')
		askedKeys.delete(key)
	}
	return used.length > 0
}

const NOTE = 'This tab keeps them until you close it, for replays and forms. The browser also sends its own cookies.'

function askFor(missing) {
	const labels = missing.map(({label}) => label)
	const verb = labels.length === 1 ? 'was' : 'were'
	const password = {class: 'in', type: 'password', autocomplete: 'off'}
	const inputs = missing.map(({key, label}) => h('input', {...password, placeholder: getPlaceholder(key, label)}))
	const fields = missing.map(({label}, index) => h('label', null, h('span', null, label), inputs[index]))
	const submit = event => {
		event.preventDefault()
		missing.forEach(({key, label}, index) => writeCredential(key, headerValue(label, inputs[index]?.value ?? '')))
		dialog.close('yes')
	}
	const form = h(
		'form',
		{class: 'ask', on: {submit}},
		h('h2', null, \`\${listNames(labels)} \${verb} not stored\`),
		h('p', null, NOTE),
		fields,
		h(
			'div',
			{class: 'acts'},
			h('button', {type: 'submit', class: 'btn primary'}, 'Send'),
			textButton('Send without', () => dialog.close('yes')),
			textButton('Cancel', () => dialog.close('')),
		),
	)
	const dialog = openDialog('Credentials', '', form)
	inputs[0]?.focus()
	return new Promise(resolve => {
		dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
	})
}

function getPlaceholder(key, label) {
	if (key === 'header authorization') return 'Bearer …'
	return key === 'header cookie' ? 'name=value; name=value' : label
}

// ui/views/actions.ts

const SENDING = 'Your browser sends the request with its own Cookie, User-Agent and Host. The app executes it.'

let isConfirmed = false

async function confirmSend(method) {
	if (isConfirmed || SAFE_METHODS.has(method)) return true
	const note = \`\${SENDING} This is asked once in this tab.\`
	isConfirmed = await askConfirmation(\`Send this \${method} again?\`, note, 'Send')
	return isConfirmed
}

async function replay(context, summary) {
	if (!(await confirmSend(summary['http.request.method']))) return
	try {
		const record = await context.shelf.load(summary.id)
		const missing = whyNotReplayable(record)
		if (missing !== null) {
			toast(\`\${missing}: use Edit and resend\`)
			return
		}
		if (!(await hasCredentials(record))) return
		const answer = await sendTry(toSendable(record, location.origin), summary.id)
		const note = answer.status === 401 && forgetCredentials(record) ? '. Replay again to enter other credentials' : ''
		toast(\`Replayed: \${answer.status === 0 ? 'redirected' : answer.status} in \${ms(answer.duration)}\${note}\`)
	} catch (error) {
		toast(\`Not replayed: \${errorReason(error)}\`)
	}
}

function whyNotReplayable({params, request: {body}, 'url.path': path}) {
	if (body !== null && (body.truncated || body.text === null)) return 'Its body was not kept whole'
	const hasSecret = [path, ...Object.values(params)].some(containsSecret)
	if (!hasSecret && !containsSecret(body?.text ?? '')) return null
	return \`Its \${hasSecret ? 'path' : 'body'} contains secrets, which were not kept\`
}

async function edit(context, summary) {
	const id = summary['code.function.name']
	const loaded = context.shelf.routes()
	const isGone = loaded.kind === 'ready' && loaded.value.routes.every(route => route.id !== id)
	if (id === null || isGone || isOfFile(summary)) {
		context.go({...context.address(), view: 'requests', id: summary.id, tab: 'edit'})
		return
	}
	try {
		context.draft = await context.shelf.load(summary.id)
		context.go({view: 'routes', id})
	} catch (error) {
		toast(\`Cannot be edited: \${errorReason(error)}\`)
	}
}

const COPIES = ['cURL', 'fetch', 'HTTP message', 'JSON record', 'link']

async function copy(context, summary, form) {
	try {
		if (form === 'link') await copyLink(context, summary)
		else await copyText(formatCopy(await context.shelf.load(summary.id), form), \`as \${form}\`)
	} catch (error) {
		toast(\`Not copied: \${errorReason(error)}\`)
	}
}

async function copyLink(context, summary) {
	const failure = await pin(context, summary, true)
	const url = \`\${location.origin}\${location.pathname}\${formatAddress({id: summary.id})}\`
	await copyText(url, failure === null ? 'the link; the request is pinned' : \`the link; not pinned: \${failure}\`)
}

function formatCopy(record, form) {
	if (form === 'cURL') return toCurl(toSendable(record, location.origin))
	if (form === 'fetch') return toFetch(toSendable(record, location.origin))
	if (form === 'HTTP message') return toHttp(record, statusHint(record['http.response.status_code']))
	return JSON.stringify(record, null, 2)
}

async function togglePin(context, summary) {
	const pinned = !summary['dev.pinned']
	const failure = await pin(context, summary, pinned)
	if (failure !== null) toast(\`Not pinned: \${failure}\`)
	else toast(pinned ? 'Pinned: kept until you unpin it' : 'Unpinned')
}

async function pinOpened(context, summary) {
	const failure = await pin(context, summary, true)
	if (failure !== null) toast(\`Not pinned: \${failure}\`)
}

async function pin(context, summary, pinned) {
	if (summary['dev.pinned'] === pinned) return null
	try {
		const {ids} = await api.pin({id: summary.id, pinned})
		context.store.update(state => applyEvent(state, 'pinned', {v: 1, ids}))
		return null
	} catch (error) {
		return errorReason(error)
	}
}

async function clearAll(context) {
	try {
		await api.clear()
		context.store.update(state => applyEvent(state, 'cleared', {v: 1}))
		const {id, ...rest} = context.address()
		const isGone = context.store.state.records.every(record => record.id !== id)
		if (id !== null && rest.view === 'requests' && isGone) context.go({...rest, id: null, tab: ''})
		toast('Cleared; pinned requests stay')
	} catch (error) {
		toast(\`Not cleared: \${errorReason(error)}\`)
	}
}

function errorReason(error) {
	return error instanceof Error ? error.message : 'the app does not respond'
}

// wire/filter-values.ts

const UNITS = {none: new Map([['', 1]]), time: new Map(Object.entries({'': 1, ms: 1, s: 1_000})), size: new Map(Object.entries({'': 1, b: 1, kb: 1_000, mb: 1_000_000}))}

const MAX_PATTERN_LENGTH = 200
const MAX_PARTS = 3

const OPERATORS = [
	['>=', (value, bound) => value >= bound],
	['<=', (value, bound) => value <= bound],
	['>', (value, bound) => value > bound],
	['<', (value, bound) => value < bound],
]
const SAME = ['', (value, bound) => Math.round(value) === Math.round(bound)]

function findOperator(value) {
	return OPERATORS.find(([sign]) => value.startsWith(sign)) ?? SAME
}

function numberTest(value, units, read) {
	const range = value.indexOf('..')
	if (range > 0) {
		const low = parseAmount(value.slice(0, range), units)
		const high = parseAmount(value.slice(range + 2), units)
		return low === null || high === null ? null : ({summary}) => read(summary) >= low && read(summary) <= high
	}
	const [sign, compare] = findOperator(value)
	const amount = parseAmount(value.slice(sign.length), units)
	return amount === null ? null : ({summary}) => compare(read(summary), amount)
}

function parseAmount(text, units) {
	const [, digits = '', unit = ''] = /^([\\d.]+)(.*)$/s.exec(text) ?? []
	const amount = Number(digits || NaN) * (units.get(unit.toLowerCase()) ?? NaN)
	return Number.isFinite(amount) ? amount : null
}

function versionTest(value) {
	const [sign, compare] = findOperator(value)
	const wantedVersion = parseFilterVersion(value.slice(sign.length))
	if (wantedVersion === null) return null
	const depth = sign === '' ? wantedVersion.parts.length : MAX_PARTS
	return ({summary}) => {
		const wantedVersions = parseFilterVersion(summary['dev.version']?.asked ?? '')
		if (wantedVersions === null || wantedVersions.isDate !== wantedVersion.isDate) return false
		return compare(compareParts(wantedVersions.parts, wantedVersion.parts, depth), 0)
	}
}

function parseFilterVersion(text) {
	const isDate = text.includes('-')
	const parts = parseNumbers(text.split(isDate ? '-' : '.'), 15)
	return parts.length > MAX_PARTS || parts.some(Number.isNaN) ? null : {isDate, parts}
}

function compareParts(one, other, depth) {
	for (let index = 0; index < depth; index++) {
		const difference = (one[index] ?? 0) - (other[index] ?? 0)
		if (difference !== 0) return difference
	}
	return 0
}

function parseNumbers(texts, digits) {
	return texts.map(text => (text.length <= digits && /^\\d+$/.test(text) ? Number(text) : NaN))
}

function prefixTest(pattern, read) {
	return globTest(pattern.includes('*') ? pattern : \`\${pattern}*\`, read)
}

function globTest(pattern, read) {
	if (pattern.length > MAX_PATTERN_LENGTH) return null
	const matches = compileGlob(pattern.toLowerCase())
	return ({summary}) => matches(read(summary).toLowerCase())
}

function compileGlob(pattern) {
	const [head = '', ...inner] = pattern.split('*')
	const tail = inner.pop()
	if (tail === undefined) return text => text === head
	return text => {
		if (!text.startsWith(head) || !text.endsWith(tail)) return false
		let from = head.length
		for (const piece of inner) {
			const index = text.indexOf(piece, from)
			if (index === -1) return false
			from = index + piece.length
		}
		return from <= text.length - tail.length
	}
}

const MAX_AHEAD_MS = 60_000

function clockTest(value, {now, zone}, compare) {
	const parts = parseNumbers(value.split(':'), 2)
	const [hours = NaN, minutes = NaN, seconds = 0] = parts
	if (parts.length > 3 || !(hours < 24 && minutes < 60 && seconds < 60)) return null
	const today = new Date(now - zone).setUTCHours(hours, minutes, seconds, 0) + zone
	const boundTime = today > now + MAX_AHEAD_MS ? today - DAY_MS : today
	return ({summary}) => compare(summary.time, boundTime)
}

const DAY_MS = 24 * 3_600_000

// wire/filter.ts

const MAX_FILTER_LENGTH = 1_000

function parseFilter(text, now = Date.now(), minutes = new Date(now).getTimezoneOffset()) {
	const clock = {now, zone: minutes * 60_000}
	const errors = []
	const tests = []
	let needsRecord = false
	if (text.length > MAX_FILTER_LENGTH) {
		errors.push({term: '', message: \`Only the first \${MAX_FILTER_LENGTH} characters of a filter are read\`})
	}
	for (const [source] of text.slice(0, MAX_FILTER_LENGTH).matchAll(TERMS)) {
		const term = parseTerm(source)
		const test = compileTerm(term, clock)
		needsRecord ||= OF_RECORD.has(term.key ?? '') && term.value !== ''
		if (typeof test === 'string') errors.push({term: term.source, message: test})
		else tests.push(term.negated ? target => !test(target) : test)
	}
	const matches = target => tests.every(test => test(target))
	return {errors, isEmpty: tests.length === 0, needsRecord, matches}
}

const TERMS = /(?:"[^"]*"?|[!#-\\uffff])+/g

function parseTerm(source) {
	const negated = source.startsWith('-') && source.length > 1
	const text = negated ? source.slice(1) : source
	const [prefix = '', key = null] = /^([a-z]+):/i.exec(text) ?? []
	return {source, negated, key: key && key.toLowerCase(), value: text.slice(prefix.length).replaceAll('"', '')}
}

function compileTerm(term, clock) {
	if (term.key === null) return textTest(term.value)
	const key = FILTER_KEYS.get(term.key)
	if (key === undefined) return \`Unknown key "\${term.key}". Keys are \${[...FILTER_KEYS.keys()].join(', ')}\`
	if (term.value === '') return \`"\${term.key}:" needs a value: \${key.hint}\`
	return key.test(term.value, clock) ?? \`"\${term.key}:" takes \${key.hint}\`
}

function textTest(value) {
	const text = value.toLowerCase()
	return ({summary, logText = ''}) => recordSearchText(summary).includes(text) || logText.includes(text)
}

function recordSearchText(summary) {
	const query = summary['url.query'] === '' ? '' : \`?\${summary['url.query']}\`
	const parts = [summary['http.request.method'], summary['url.path'] + query, handlerName(summary), summary.id, summary['dev.requestId']]
	return parts.join(' ').toLowerCase()
}

const NUMBER = 'a number, >5 or 2..5'

const FLAGS = new Map([
	['slow', hasFlag('slow')],
	['error', isFailure],
	['invalid', it => it['dev.issues'] > 0],
	['n+1', hasFlag('n+1')],
	['pinned', it => it['dev.pinned']],
	['replayed', it => it['dev.replayOf'] !== null],
	['inflight', hasFlag('inflight')],
	['aborted', hasFlag('aborted')],
])

const PARTS = new Map([
	['logs', it => it['dev.logs'] > 0],
	['body', it => it['http.request.body.size'] > 0],
	['error', it => it['error.type'] !== null],
	['db', it => it['dev.db'] > 0],
	['queries', it => it['dev.queries'] > 0],
])

const FILTER_KEYS = new Map([
	['status', {hint: 'a status, 5xx, 400..499 or >=400', test: statusTest}],
	['method', {hint: 'methods, GET,POST', test: methodTest}],
	['path', {hint: 'a path, /users/*', test: value => prefixTest(value, it => it['url.path'])}],
	['template', {hint: 'a path template', test: value => globTest(value, it => it['http.route'] ?? '')}],
	['handler', {hint: 'a handler, Users.get', test: value => prefixTest(value, handlerName)}],
	['dur', {hint: 'a duration, >200ms or 1s..3s', test: keyFilter(UNITS.time, it => it['dev.duration'])}],
	['size', {hint: 'a size, >10kb', test: keyFilter(UNITS.size, it => it['http.response.body.size'])}],
	['db', {hint: NUMBER, test: keyFilter(UNITS.none, it => it['dev.db'])}],
	['queries', {hint: NUMBER, test: keyFilter(UNITS.none, it => it['dev.queries'])}],
	['pid', {hint: NUMBER, test: keyFilter(UNITS.none, it => it['process.pid'])}],
	['client', {hint: 'an address, 10.0.0.*', test: value => prefixTest(value, it => it['client.address'] ?? '')}],
	['version', {hint: 'a version, 2, >=2.1 or 2026-01-31', test: versionTest}],
	['id', {hint: 'the id of a record or a request', test: idTest}],
	['header', {hint: 'a header or name=value, x-tenant=acme', test: headerTest}],
	['body', {hint: 'text of a body', test: bodyTest}],
	['is', wordFilter(FLAGS)],
	['has', wordFilter(PARTS)],
	['after', {hint: 'a time of the day, 14:03:20', test: (value, clock) => clockTest(value, clock, (time, bound) => time >= bound)}],
	['before', {hint: 'a time of the day, 14:03:20', test: (value, clock) => clockTest(value, clock, (time, bound) => time < bound)}],
])

function idTest(value) {
	const isRecord = prefixTest(value, it => it.id)
	const isRequest = prefixTest(value, it => it['dev.requestId'] ?? '')
	return isRecord && isRequest && (target => isRecord(target) || isRequest(target))
}

const FILTER_HINTS = [...FILTER_KEYS].map(([key, {hint}]) => [key, hint])

const OF_RECORD = new Set(['header', 'body'])

function headerTest(value) {
	const text = value.toLowerCase()
	const [, name = '', wanted = ''] = /^([^=:]+)[=:]\\s*(.*)$/s.exec(text) ?? []
	const isMatch = (key, content) => content.includes(text) || (name === '' ? key.startsWith(text) : key === name && content.includes(wanted))
	return ({record}) => listMessages(record).some(({headers}) => headers.some(([key, content]) => isMatch(toSearchText(key), toSearchText(content))))
}

function bodyTest(value) {
	const text = value.toLowerCase()
	return ({record}) => listMessages(record).some(({body}) => toSearchText(body?.text ?? '').includes(text))
}

function toSearchText(text) {
	return text.replaceAll('"', '').toLowerCase()
}

function listMessages(record) {
	return record === undefined ? [] : [record.request, record.response]
}

function statusTest(value) {
	const readStatus = summary => summary['http.response.status_code']
	const isClass = value.length === 3 && value.slice(1).toLowerCase() === 'xx' && '12345'.includes(value.charAt(0))
	if (!isClass) return numberTest(value, UNITS.none, readStatus)
	const first = Number(value.charAt(0))
	return ({summary}) => Math.floor(readStatus(summary) / 100) === first
}

function methodTest(value) {
	const methods = new Set(value.toUpperCase().split(','))
	return ({summary}) => methods.has(summary['http.request.method'].toUpperCase())
}

function handlerName(summary) {
	return summary['code.function.name'] ?? ''
}

function keyFilter(units, read) {
	return value => numberTest(value, units, read)
}

function wordFilter(words) {
	const test = value => {
		const predicate = words.get(value.toLowerCase())
		return predicate === undefined ? null : ({summary}) => predicate(summary)
	}
	return {hint: \`one of \${[...words.keys()].join(', ')}\`, test}
}

function hasFlag(flag) {
	return summary => summary['dev.flags'].includes(flag)
}

function isFailure(summary) {
	return summary['http.response.status_code'] >= 500 || summary['error.type'] !== null
}

// ui/live/record-search.ts

const PAUSE_MS = 500

class RecordSearch {
	#store
	#shelf
	#key = ''
	#ids = []
	#storedIds = []
	#searched = null
	#isSearching = false

	constructor(store, shelf) {
		this.#store = store
		this.#shelf = shelf
	}

	ids(q, matches) {
		const {boot, records} = this.#store.state
		const key = \`\${boot} \${q}\`
		if (key !== this.#key) {
			this.#key = key
			this.#ids = []
			this.#storedIds = []
			this.#searched = null
			void this.#searchStored(key, matches)
		}
		if (records !== this.#searched && !this.#isSearching) void this.#search(q, records)
		return new Set([...this.#ids, ...this.#storedIds])
	}

	async #search(q, records) {
		const key = this.#key
		this.#isSearching = true
		this.#searched = records
		const found = await api.search(q).catch(() => null)
		if (found !== null && key === this.#key) this.#ids = found.items.map(({id}) => id)
		setTimeout(() => {
			this.#isSearching = false
			this.#store.touch()
		}, PAUSE_MS)
		this.#store.touch()
	}

	async #searchStored(key, matches) {
		const stored = await this.#shelf.stored()
		if (key !== this.#key) return
		this.#storedIds = stored.filter(record => matches({summary: record, record})).map(({id}) => id)
		this.#store.touch()
	}
}

// ui/pure/list.ts

const QUICK_FILTERS = [
	['All', '', ''],
	['2xx', 'status:2xx', ''],
	['4xx', 'status:4xx', 's4'],
	['5xx', 'status:5xx', 's5'],
	['Slow', 'is:slow', ''],
	['Invalid', 'is:invalid', ''],
]

function filterRequests(state, matches, isEmpty) {
	const requests = [...state.open.map(call => summarizeOpenCall(call, state.boot)), ...state.records]
	if (isEmpty) return requests
	const logText = logTexts(state.logs)
	return requests.filter(summary => matches({summary, logText: logText.get(summary.id) ?? ''}))
}

function logTexts(logs) {
	const texts = new Map()
	for (const {request, message} of logs) {
		if (request !== null) texts.set(request, \`\${texts.get(request) ?? ''} \${message.toLowerCase()}\`)
	}
	return texts
}

function summarizeOpenCall(call, boot) {
	return {
		id: call.id,
		'dev.requestId': null,
		seq: Infinity,
		boot,
		time: call.since,
		'http.request.method': call.method,
		'url.path': call.route,
		'url.query': '',
		'http.route': null,
		'http.response.status_code': 0,
		'code.function.name': null,
		'process.pid': 0,
		'client.address': null,
		'http.request.body.size': 0,
		'http.response.body.size': 0,
		'error.type': null,
		'dev.duration': Math.max(0, serverNow() - call.since),
		'dev.phases': [],
		'dev.db': 0,
		'dev.queries': 0,
		'dev.logs': 0,
		'dev.issues': 0,
		'dev.flags': ['inflight'],
		'dev.version': null,
		'dev.replayOf': null,
		'dev.pinned': false,
	}
}

function isRunning(summary) {
	return summary['dev.flags'].includes('inflight')
}

const SORT_VALUES = {
	Status: summary => summary['http.response.status_code'],
	Method: summary => summary['http.request.method'],
	Path: summary => summary['url.path'],
	Handler: summary => summary['code.function.name'] ?? '',
	Duration: summary => summary['dev.duration'],
	Size: summary => summary['http.response.body.size'],
	Time: summary => summary.time,
}

function isSortable(column) {
	return Object.hasOwn(SORT_VALUES, column)
}

function sortRequests(records, sort) {
	const isDescending = sort.startsWith('-')
	const column = isDescending ? sort.slice(1) : sort
	const readValue = isSortable(column) ? SORT_VALUES[column] : undefined
	if (readValue === undefined) return null
	const sign = isDescending ? -1 : 1
	return records.toSorted((a, b) => sign * compareValues(readValue(a), readValue(b)))
}

function newestFirst(records) {
	const ranks = new Map()
	for (const {boot} of records) if (!ranks.has(boot)) ranks.set(boot, ranks.size)
	const getRank = ({boot}) => ranks.get(boot) ?? 0
	return records.toSorted((a, b) => getRank(a) - getRank(b) || b.time - a.time)
}

function compareValues(a, b) {
	if (typeof a === 'number' && typeof b === 'number') return a - b
	return String(a).localeCompare(String(b))
}

function nextSort(column, sort) {
	const isText = column === 'Method' || column === 'Path' || column === 'Handler'
	const orders = isText ? [column, \`-\${column}\`, ''] : [\`-\${column}\`, column, '']
	return orders[orders.indexOf(sort) + 1] ?? orders[0] ?? ''
}

function buildItems(records, state, sort = '') {
	const sorted = sortRequests(records, sort)
	if (sorted !== null) return sorted.map(record => recordItem(record, state))
	const items = []
	let newer = state.boot
	for (const record of records) {
		if (record.boot !== newer && state.boot !== '') items.push(divider(record, newer, state))
		newer = record.boot
		items.push(recordItem(record, state))
	}
	return items
}

function recordItem(record, {boot}) {
	return {kind: 'record', key: record.id, record, isOld: record.boot !== boot && !isOfFile(record)}
}

function divider(record, newer, state) {
	if (!isOfFile(record)) return bootDivider(newer, state)
	return {kind: 'divider', key: \`divider \${record.boot}\`, text: \`from \${state.file?.name ?? 'a file'}\`}
}

function bootDivider(boot, state) {
	const started = state.boots.get(boot)
	const text = started === undefined ? 'restarted' : \`restarted at \${clock(started)[0]}\`
	return {kind: 'divider', key: \`divider \${boot}\`, text}
}

const TRIAL = 'r_0trial'

function originalId(summary) {
	const original = summary['dev.replayOf']
	return original?.startsWith(TRIAL) === true ? null : original
}

function flagTags(summary) {
	const tags = summary['dev.flags'].map(flag => flagTag(flag, summary))
	if (summary['dev.pinned']) tags.push({text: 'pinned', className: '', hint: 'Kept until it is unpinned'})
	const original = originalId(summary)
	if (original !== null) {
		tags.push({text: 'replay', className: '', hint: \`Sent again from the page, after \${original}\`})
	}
	return tags
}

const TAGS = {
	'n+1': ['N+1', 'note', 'Looks like one query per row'],
	slow: ['slow', 'warn', 'Slower than the limit'],
	invalid: ['invalid', 'warn', 'Issues of validation'],
	error: ['error', 'bad', 'An error was thrown'],
	version: ['version', 'info', 'No endpoint for the requested version'],
	aborted: ['aborted', 'warn', 'Closed before the response was sent'],
	inflight: ['running', 'info', 'Has no response yet'],
	mismatch: ['mismatch', 'bad', 'The response did not fit its schema'],
}

function flagTag(flag, summary) {
	const [name, className, hint] = TAGS[flag] ?? [flag, '', flag]
	const text = flag === 'invalid' ? \`\${summary['dev.issues']} invalid\` : name
	return {text: flag === 'error' ? (summary['error.type'] ?? name) : text, className, hint}
}

// ui/dom/focus.ts

const FOCUSABLE = 'a[href], button, summary, input, select, textarea, [tabindex]'

function keepFocus(inside, draw) {
	const focused = document.activeElement
	const index = focused instanceof HTMLElement ? listFocusable(inside).indexOf(focused) : -1
	draw()
	if (!(focused instanceof HTMLElement) || index === -1 || document.activeElement === focused) return
	const next = focused.isConnected ? focused : listFocusable(inside)[index]
	next?.focus({preventScroll: true})
}

function listFocusable(inside) {
	return [...inside.querySelectorAll(FOCUSABLE)]
}

// ui/pure/same.ts

function isSame(a, b) {
	return a.length === b.length && a.every((part, index) => part === b[index])
}

// ui/views/copy-menu.ts

function copyMenu(context, summary) {
	const close = () => {
		label.focus()
		menu.open = false
	}
	const isOfRun = summary.boot === context.store.state.boot
	const forms = COPIES.filter(form => form !== 'link' || !isOfFile(summary))
	const items = forms.map((form, index) => {
		const label = form === 'link' ? 'Link to this request' : form
		const click = () => {
			close()
			void copy(context, summary, form)
		}
		return h('button', {type: 'button', on: {click}}, label, index === 0 && h('kbd', null, 'c'))
	})
	const har = isOfRun && h('a', {href: harLink(\`id:\${summary.id}\`), download: true}, 'HTTP archive (HAR)')
	const focusout = event => {
		if (!(event.relatedTarget instanceof Node) || !menu.contains(event.relatedTarget)) menu.open = false
	}
	const keydown = event => {
		if (event.key !== 'Escape' || !menu.open) return
		event.stopPropagation()
		close()
	}
	const label = h('summary', {class: 'btn'}, icon('copy'), 'Copy', icon('down'))
	const menu = h('details', {class: 'menu', on: {focusout, keydown}}, label, h('div', null, items, har))
	return menu
}

// ui/views/tab-bar.ts

class TabBar {
	element
	#choose
	#tabs = []
	#buttons = new Map()

	constructor(label, choose) {
		this.#choose = choose
		const on = {keydown: event => this.#handleKey(event)}
		this.element = h('div', {class: 'tabs', role: 'tablist', 'aria-label': label, on})
	}

	show(tabs, current) {
		if (JSON.stringify(tabs) !== JSON.stringify(this.#tabs)) this.#build(tabs)
		for (const [id, button] of this.#buttons) {
			button.setAttribute('aria-selected', String(id === current))
			setAttribute(button, 'tabindex', id === current ? '0' : '-1')
			if (id === current) button.scrollIntoView({block: 'nearest', inline: 'nearest'})
		}
	}

	#build(tabs) {
		this.#tabs = tabs
		this.#buttons = new Map(
			tabs.map(({id, label, count, className}) => {
				const attributes = {type: 'button', role: 'tab', id: \`tab-\${id}\`, 'aria-controls': 'panel'}
				const number = count !== null && h('small', {class: className}, count)
				return [id, h('button', {...attributes, on: {click: () => this.#choose(id)}}, label, number)]
			}),
		)
		this.element.replaceChildren(...this.#buttons.values())
	}

	#handleKey(event) {
		const steps = {ArrowRight: 1, ArrowLeft: -1}
		const ids = [...this.#buttons.keys()]
		const index = ids.findIndex(id => this.#buttons.get(id) === document.activeElement)
		const ends = {Home: 0, End: ids.length - 1}
		const next = ends[event.key] ?? (index + (steps[event.key] ?? NaN) + ids.length) % ids.length
		const id = ids[next]
		if (id === undefined) return
		event.preventDefault()
		this.#choose(id)
		this.#buttons.get(id)?.focus()
	}
}

// ui/pure/editor.ts

function editorLink(template, root, place) {
	if (template === null) return null
	const isAbsolute = /^(?:[/\\\\]|[A-Za-z]:)/.test(place.file)
	const file = isAbsolute ? place.file : \`\${root.replace(/[/\\\\]$/, '')}/\${place.file}\`
	const path = file.replaceAll('\\\\', '/').split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':')
	return template
		.replaceAll('{file}', () => path)
		.replaceAll('{line}', String(place.line))
		.replaceAll('{column}', String(Math.max(1, place.column ?? 1)))
}

function placeText(place) {
	return \`\${place.file}:\${place.line}\`
}

// ui/views/place.ts

function placeMark(place, state) {
	const text = placeText(place)
	const href = editorLink(state.settings.editor, state.app?.root ?? '', place)
	if (href !== null) return h('a', {class: 'link mono', href, title: 'Open in your editor'}, text)
	return textButton(text, () => void copyText(text, text), 'link mono')
}

// ui/views/tabs/error.ts

function errorPanel(source) {
	return source.record.error && errorView(source.record.error, source)
}

function errorView(error, source) {
	return [
		h('div', {class: 'thrown'}, h('p', null, h('b', {class: 'mono'}, error.name)), h('p', null, error.message)),
		error.source && excerpt(error.source, source),
		stack(error, source),
		error.cause && nested('Caused by', [error.cause], source),
		error.members.length > 0 && nested('Errors within', error.members, source),
	]
}

function nested(title, errors, source) {
	return section(
		title,
		null,
		errors.map(error => h('div', {class: 'cause'}, errorView(error, source))),
	)
}

function excerpt(code, {context}) {
	const lines = code.lines.map((text, index) => {
		const number = code.first + index
		return h('div', {class: number === code.line ? 'hit' : null}, h('i', null, number), h('span', null, text))
	})
	const label = \`Source of \${placeText(code)}, line \${code.line} is where it was thrown\`
	const box = h('div', {class: 'code src', tabindex: '0', role: 'region', 'aria-label': label}, lines)
	return section('Source', placeMark(code, context.store.state), box)
}

function stack({frames, source: shown}, source) {
	if (frames.length === 0) return null
	const appFrames = frames.filter(frame => frame.kind === 'app')
	const otherFrames = frames.filter(frame => frame.kind !== 'app')
	const more =
		otherFrames.length > 0 &&
		h(
			'li',
			null,
			h(
				'details',
				null,
				h('summary', null, \`\${formatCount(otherFrames.length, 'frame')} of libraries and Node\`),
				h(
					'ol',
					{class: 'frames'},
					otherFrames.map(frame => frameView(frame, shown, source)),
				),
			),
		)
	return section(
		'Stack',
		\`\${appFrames.length} of yours, \${otherFrames.length} of libraries and Node\`,
		h(
			'ol',
			{class: 'frames'},
			appFrames.map(frame => frameView(frame, shown, source)),
			more,
		),
	)
}

function frameView(frame, shown, source) {
	const isFromApp = frame.kind === 'app'
	const isShown = shown?.line === frame.line && shown.file === frame.file
	const isReadable = isFromApp && !isShown && source.record.boot === source.context.store.state.boot
	const button = isReadable ? textButton('source', () => void showSource(button, frame, source), 'link') : null
	return h('li', {class: isFromApp ? null : 'lib'}, h('span', null, frame.function || '(top level)'), isFromApp ? placeMark(frame, source.context.store.state) : placeText(frame), button)
}

async function showSource(button, frame, source) {
	try {
		const code = await api.source(\`\${source.record.id}.\${frame.n}\`)
		button?.replaceWith(excerpt(code, source))
	} catch {
		toast('The source of this frame cannot be read')
	}
}

// ui/pure/json-lines.ts

const MAX_COLORED = 50_000

const MAX_SHOWN = 1_000_000

const MAX_LINES = 400

function chooseBodyForm(text, isJson, wantsAll) {
	if (text.length > MAX_SHOWN) return {kind: 'large'}
	if (text.length > MAX_COLORED) {
		const end = wantsAll ? text.length : MAX_COLORED
		return {kind: 'text', text: text.slice(0, end), more: text.length - end}
	}
	const value = isJson ? parseJson(text) : undefined
	return value === undefined ? {kind: 'text', text, more: 0} : {kind: 'json', value}
}

const LONG_NUMBERS = /[[:,\\s](-?\\d[\\d.]{15,})/g

function parseJson(text) {
	const isExact = [...text.matchAll(LONG_NUMBERS)].every(([, number]) => String(Number(number)) === number)
	try {
		return isExact ? JSON.parse(text) : undefined
	} catch {
		return undefined
	}
}

function toJsonLines(value, folded, secret) {
	const lines = []
	writeNode({lines, folded, secret}, {value, path: '', depth: 0, before: [], after: []})
	return lines
}

function writeNode(writer, node) {
	const {value, depth, path, before, after} = node
	if (typeof value !== 'object' || value === null) {
		writer.lines.push({depth, path, fold: null, tokens: [...before, leaf(value, writer.secret), ...after]})
		return
	}
	const brackets = Array.isArray(value) ? '[]' : '{}'
	const entries = Object.entries(value)
	if (entries.length === 0) {
		writer.lines.push({depth, path, fold: null, tokens: [...before, punctuation(brackets), ...after]})
	} else if (writer.folded.has(path)) {
		const inside = \`\${brackets.charAt(0)} \${entries.length} \${brackets.charAt(1)}\`
		writer.lines.push({depth, path, fold: 'folded', tokens: [...before, punctuation(inside), ...after]})
	} else {
		writer.lines.push({depth, path, fold: 'open', tokens: [...before, punctuation(brackets.charAt(0))]})
		for (const [index, entry] of entries.entries()) {
			writeNode(writer, childNode(node, entry, index === entries.length - 1))
		}
		writer.lines.push({depth, path: '', fold: null, tokens: [punctuation(brackets.charAt(1)), ...after]})
	}
}

function childNode(parent, [key, value], isLast) {
	const name = {kind: 'key', text: JSON.stringify(key)}
	return {value, path: \`\${parent.path}/\${key}\`, depth: parent.depth + 1, before: Array.isArray(parent.value) ? [] : [name, punctuation(': ')], after: isLast ? [] : [punctuation(',')]}
}

function punctuation(text) {
	return {kind: 'punctuation', text}
}

function leaf(value, secret) {
	if (value === secret) return {kind: 'secret', text: JSON.stringify(value)}
	if (typeof value === 'string') return {kind: 'string', text: JSON.stringify(value)}
	return {kind: typeof value === 'number' ? 'number' : 'literal', text: String(value)}
}

function visibleRows(scroll, count, spare) {
	const row = Math.max(1, scroll.row)
	const end = Math.min(count, Math.ceil((scroll.top + scroll.height) / row) + spare)
	const first = Math.max(0, Math.min(Math.floor(scroll.top / row) - spare, end - 1))
	return {first, end}
}

// ui/views/code-view.ts

const LINE_HEIGHT = 19
const SPARE_LINES = 30

function bodyView(body) {
	if (body === null) return emptyMessage('No body.')
	if (body.omitted !== null) return emptyMessage(body.omitted)
	const note = body.truncated ? h('p', {class: 'more'}, \`Only the beginning of \${formatBytes(body.size)} was kept.\`) : null
	if (body.text !== null) return [textView(body.text, isJsonMediaType(body.type)), note]
	if (body.hex === null) return emptyMessage('No body.')
	return bytesView(body.hex.match(/.{1,2}/g) ?? [], body.size)
}

function bytesView(bytes, size) {
	return [h('div', {class: 'code wrap'}, bytes.join(' ')), h('p', {class: 'more'}, \`The first 64 bytes of \${formatBytes(size)}.\`)]
}

function isJsonMediaType(type) {
	return /^[\\w.+-]+\\/(?:[\\w.-]+\\+)?json\\b/i.test(type ?? '')
}

function textView(text, isJson) {
	const box = h('div', null)
	const show = wantsAll => {
		const form = chooseBodyForm(text, isJson, wantsAll)
		if (form.kind === 'json') fill(box, jsonView(form.value))
		else if (form.kind === 'large') fill(box, largeView(text))
		else {
			const plainText = {class: 'code wrap tall', tabindex: '0', role: 'region', 'aria-label': 'Text'}
			const note = \`\${int(form.more)} more characters are not shown.\`
			const showAll = textButton('Show all', () => show(true))
			fill(box, h('div', plainText, form.text), form.more > 0 && h('p', {class: 'more'}, note, showAll))
		}
	}
	show(false)
	return box
}

function largeView(text) {
	const save = () => {
		const link = h('a', {href: URL.createObjectURL(new Blob([text])), download: 'body.txt'})
		link.click()
		setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
	}
	return h('p', {class: 'more'}, \`\${formatBytes(text.length)} are too many to show here.\`, textButton('Download', save))
}

function jsonView(value) {
	const folded = new Set()
	const box = h('div', {class: 'code', tabindex: '0', role: 'region', 'aria-label': 'JSON'})
	let lines = []
	const draw = () => drawLines(box, lines, toggle)
	const toggle = path => {
		if (!folded.delete(path)) folded.add(path)
		lines = toJsonLines(value, folded, REDACTED_MARK)
		draw()
		box.querySelector(\`[data-path="\${CSS.escape(path)}"]\`)?.focus()
	}
	lines = toJsonLines(value, folded, REDACTED_MARK)
	if (lines.length > MAX_LINES) {
		box.classList.add('tall')
		box.addEventListener('scroll', draw, {passive: true})
	}
	draw()
	return box
}

function drawLines(box, lines, toggle) {
	const scroll = {top: box.scrollTop, height: Math.max(box.clientHeight, 480), row: LINE_HEIGHT}
	const isWindow = lines.length > MAX_LINES
	const {first, end} = isWindow ? visibleRows(scroll, lines.length, SPARE_LINES) : {first: 0, end: lines.length}
	const gap = count => count > 0 && h('span', {class: 'gap', css: {'--h': \`\${count * LINE_HEIGHT}px\`}})
	const lineViews = lines.slice(first, end).map(line => codeLine(line, toggle))
	box.replaceChildren()
	append(box, [gap(first), lineViews, gap(lines.length - end)])
}

function codeLine(line, toggle) {
	const tokens = line.tokens.map(({kind, text}) => (kind === 'punctuation' ? text : h('span', {class: \`t-\${kind}\`}, text)))
	return h('span', {class: 'ln', css: {'--d': String(line.depth)}}, foldMark(line, toggle), tokens)
}

function foldMark(line, toggle) {
	if (line.fold === null) return h('span', {class: 'pad'})
	const isOpen = line.fold === 'open'
	return h(
		'button',
		{type: 'button', class: 'fold', 'data-path': line.path, 'aria-expanded': String(isOpen), 'aria-label': line.path === '' ? 'All' : line.path, on: {click: () => toggle(line.path)}},
		isOpen ? '▾' : '▸',
	)
}

// ui/views/tabs/exchange.ts

function requestPanel({record}) {
	const query = [...new URLSearchParams(record['url.query'])]
	const tables =
		query.length === 0
			? emptyMessage('No query.')
			: pairs(
					query.map(([name, value]) => [name, highlightRedacted(value)]),
					'wire',
				)
	return [section('Query', null, tables), ...messageParts(record.request)]
}

function responsePanel({record}) {
	if (record['http.response.status_code'] === 0) return emptyMessage('Nothing was sent.')
	return messageParts(record.response)
}

function messageParts({headers, body}) {
	const note = body === null ? null : [formatBytes(body.size), body.type].filter(part => part !== null).join(', ')
	const count = headers.length === 0 ? null : String(headers.length)
	return [section('Headers', count, headerList(headers)), section('Body', note, bodyView(body))]
}

function headerList(headers) {
	if (headers.length === 0) return emptyMessage('No headers.')
	return pairs(
		headers.map(([name, value]) => [name, highlightRedacted(value)]),
		'wire',
	)
}

const REDACTED = new RegExp(\`\\\\b(\${REDACTED_MARK})\\\\b\`)

function highlightRedacted(value) {
	const parts = value.split(REDACTED)
	return parts.map(part => (part === REDACTED_MARK ? h('span', {class: 'red'}, part) : part))
}

// ui/views/log-line.ts

function logLine(line, time, link) {
	const fields = Object.entries(line.fields ?? {}).map(([name, value]) => {
		return \`\${name}=\${typeof value === 'string' ? value : JSON.stringify(value)}\`
	})
	const isolated = fields.map((field, index) => [index === 0 ? '' : ' ', h('bdi', null, field)])
	const isError = line.level === 'error' || line.level === 'fatal'
	return h(
		'li',
		{class: isError ? 'e' : null},
		h('time', {class: 'dim', datetime: new Date(line.time).toISOString()}, time),
		h('span', {class: \`lv \${line.level.replaceAll(/\\W/g, '')}\`}, line.level),
		h('span', {class: 'msg'}, h('bdi', null, line.message), ' ', h('span', {class: 'f'}, isolated)),
		link,
	)
}

// ui/views/tabs/logs.ts

function logsPanel({record}) {
	if (record.logs.length === 0) return emptyMessage('This request wrote no log lines.')
	const lines = record.logs.map(line => logLine(line, \`+\${ms(Math.max(0, line.time - record.time))}\`, null))
	const moreLines = record['dev.logs'] - record.logs.length
	return [h('ol', {class: 'lg'}, lines), moreLines > 0 && emptyMessage(\`\${moreLines} more lines were not kept.\`)]
}

// ui/views/tabs/call-outs.ts

function callOuts(source) {
	const view = part => partView(part, source)
	return source.record?.callOuts.map(({kind, title, text}) => h('div', {class: \`call \${kind}\`}, h('b', null, title.map(view)), text.length > 0 && h('span', {class: 'sub'}, text.map(view))))
}

function partView(part, {summary, context}) {
	if (typeof part === 'string') return part
	if ('code' in part) return h('code', null, part.code)
	if ('ms' in part) return ms(part.ms)
	if ('dim' in part) return secondaryText(part.dim)
	if ('place' in part) return placeMark(part.place, context.store.state)
	return h('a', {class: 'link', href: formatAddress({id: summary.id, tab: part.tab})}, part.text)
}

// ui/dom/chart.ts

const resizeListeners = new WeakMap()

const observer = new ResizeObserver(entries => {
	for (const entry of entries) resizeListeners.get(entry.target)?.(entry.contentRect)
})

function chart(className, label, paint) {
	const svg = s('svg', {role: 'img'})
	const element = h('div', {class: className}, svg)
	let [width, height] = [0, 0]
	const draw = () => {
		if (width < 20 || height < 10) return
		svg.setAttribute('aria-label', label())
		svg.setAttribute('viewBox', \`0 0 \${width} \${height}\`)
		svg.replaceChildren()
		paint(svg, width, height)
	}
	resizeListeners.set(svg, size => {
		width = size.width
		height = size.height
		draw()
	})
	observer.observe(svg)
	return {element, draw}
}

function gridLine(place, text) {
	const y = Math.round(place.y) + 0.5
	const label = s('text', {class: 'axis', x: place.x1 - 7, y: place.y + 3.5, 'text-anchor': 'end'}, text)
	return [s('line', {class: 'grid-l', x1: place.x1, x2: place.x2, y1: y, y2: y}), label]
}

function timeAxis(place, labels) {
	const lastIndex = labels.length - 1
	const isNarrow = place.x2 - place.x1 < 300
	return labels.flatMap((text, index) => {
		if (isNarrow && index % 2 === 1) return []
		const x = place.x1 + (index / lastIndex) * (place.x2 - place.x1)
		return s('text', {class: 'axis', x, y: place.y, 'text-anchor': textAnchor(index, lastIndex)}, text)
	})
}

function paintEmpty(svg, width, height) {
	svg.append(s('text', {class: 'axis', x: width / 2, y: height / 2, 'text-anchor': 'middle'}, 'no data yet'))
}

function textAnchor(index, lastIndex) {
	if (index === 0) return 'start'
	return index === lastIndex ? 'end' : 'middle'
}

// wire/group-by.ts

function groupBy(items, keyOf) {
	const groups = new Map()
	for (const item of items) {
		const key = keyOf(item)
		const group = groups.get(key)
		if (group === undefined) groups.set(key, [item])
		else group.push(item)
	}
	return groups
}

// wire/spans.ts

function coveredTime(spans) {
	let [total, reached] = [0, 0]
	for (const {start, length} of spans.toSorted((a, b) => a.start - b.start)) {
		total += Math.max(0, start + length - Math.max(start, reached))
		reached = Math.max(reached, start + length)
	}
	return total
}

// wire/sql-tokens.ts

const KINDS = [null, 'space', 'comment', 'string', null, 'quoted', 'parameter', 'number', 'word']

const LETTER = String.raw\`A-Za-z_\\u0080-\\uffff\`
const NAME = String.raw\`[\${LETTER}][\\w\\u0080-\\uffff]*\`
const COMMENTS = String.raw\`--[^\\n]*|/\\*[^]*?(?:\\*/|$)\`
const STRING = String.raw\`'(?:[^']|'')*'?\`
const ESCAPED_STRING = String.raw\`'(?:[^'\\\\]|''|\\\\[^])*'?\`
const DOLLAR_STRING = String.raw\`(\\$(?:\${NAME})?\\$)[^]*?(?:\\4|$)\`
const QUOTED = String.raw\`"(?:[^"]|"")*"?\`

function createDialect({comments, strings, quoted, hasNestedComments}) {
	const tokens = [
		String.raw\`(\\s+)\`,
		\`(\${comments})\`,
		\`([eE]\${ESCAPED_STRING}|\${strings})\`,
		\`(\${quoted}|\${'\`[^\`]*\`?'}|\${String.raw\`\\[[\${LETTER}][^[\\],'"]*\\]\`})\`,
		String.raw\`(\\$\\d+|\\$\${NAME}|\\?\\d*|(?<![:\\w])[:@]\${NAME})\`,
		String.raw\`(\\d[\\w.]*)\`,
		String.raw\`([\${LETTER}][\\w$\\u0080-\\uffff]*)\`,
		String.raw\`::|->>?|#>>?|=>|<>|!=|[<>]=|/\\*!\\d*|[^]\`,
	]
	return {tokens: new RegExp(tokens.join('|'), 'y'), hasNestedComments}
}

const POSTGRES = createDialect({comments: COMMENTS, strings: \`\${STRING}|\${DOLLAR_STRING}\`, quoted: QUOTED, hasNestedComments: true})

function* scanSql(sql, dialect) {
	const {tokens} = dialect
	for (let index = 0; index < sql.length;) {
		tokens.lastIndex = index
		const match = tokens.exec(sql)
		const kind = KINDS.find((each, group) => each !== null && match[group] !== undefined) ?? 'plain'
		const isNested = dialect.hasNestedComments && kind === 'comment' && match[0].startsWith('/')
		const text = isNested ? sql.slice(index, findCommentEnd(sql, index)) : match[0]
		yield {kind, text, index}
		index += text.length
	}
}

function findCommentEnd(sql, from) {
	const marks = /\\/\\*|\\*\\//g
	marks.lastIndex = from
	let depth = 0
	for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
		depth += mark[0] === '/*' ? 1 : -1
		if (depth === 0) return marks.lastIndex
	}
	return sql.length
}

// ui/pure/sql.ts

const CLAUSES = new Set('SELECT FROM WHERE HAVING LIMIT FETCH UNION INTERSECT EXCEPT VALUES SET RETURNING WINDOW WITH INSERT UPDATE DELETE'.split(' '))

const PAIRS = {GROUP: /^BY$/, ORDER: /^BY$/, ON: /^(?:CONFLICT|DUPLICATE)$/, FOR: /^(?:UPDATE|SHARE|NO|KEY)$/}

const JOINS = new Set('LEFT RIGHT FULL INNER CROSS NATURAL OUTER JOIN'.split(' '))

const CONTINUED = new Set('DELETE DISTINCT DO FOR NO KEY'.split(' '))

const KEYWORDS = new Set([
	...CLAUSES,
	...JOINS,
	...Object.keys(PAIRS),
	...'AND OR NOT IN IS NULL LIKE ILIKE BETWEEN EXISTS AS BY ASC DESC DISTINCT ALL ANY CASE WHEN THEN ELSE END INTO'.split(' '),
	...'OFFSET USING LATERAL RECURSIVE OVER PARTITION CONFLICT DUPLICATE DO NOTHING DEFAULT TRUE FALSE BEGIN COMMIT'.split(' '),
	...'ROLLBACK SAVEPOINT RELEASE CREATE TABLE INDEX VIEW DROP ALTER ADD COLUMN PRIMARY KEY REFERENCES UNIQUE SHARE'.split(' '),
	...'EXPLAIN ANALYZE PRAGMA REPLACE NULLS FIRST LAST ROWS ONLY NEXT TO START TRANSACTION'.split(' '),
])

function tokenizeSql(sql) {
	const tokens = []
	for (const token of scanSql(sql, POSTGRES)) tokens.push({kind: displayKind(token, tokens.at(-1)?.text === '.'), text: token.text})
	return tokens
}

function displayKind({kind, text}, isMember) {
	if (kind === 'word') return !isMember && KEYWORDS.has(text.toUpperCase()) ? 'keyword' : 'name'
	return kind === 'quoted' ? 'name' : kind
}

function compactSql(sql) {
	const tokens = tokenizeSql(sql)
	return tokens.flatMap((token, index) => {
		if (token.kind !== 'space') return [token]
		if (index === 0 || index === tokens.length - 1) return []
		return [{kind: 'space', text: tokens[index - 1]?.text.startsWith('--') === true ? '\\n' : ' '}]
	})
}

function formatSql(sql) {
	const tokens = compactSql(sql)
	const layout = new SqlLayout()
	for (const [index, token] of tokens.entries()) {
		if (token.kind === 'space') layout.space(token)
		else layout.add(token, tokens.slice(index + 1, index + 3).find(({kind}) => kind !== 'space')?.text ?? '')
	}
	return layout.tokens
}

const MAX_LINE_LENGTH = 64

const MAX_INDENT = 20

class SqlLayout {
	tokens = []
	#blocks = []
	#block = {outer: 0, indent: 0, breaks: true, open: []}
	#previous = ''
	#lineIndent = 0
	#lineLength = 0

	space(token) {
		if (this.tokens.at(-1)?.kind !== 'space') this.#push(token)
	}

	add(token, next) {
		const text = token.text.toUpperCase()
		const following = next.toUpperCase()
		if (text === ')') this.#leave()
		else if (token.kind === 'keyword' && this.#block.breaks) this.#breakBefore(text, following)
		this.#push(token)
		if (text === '(') this.#enter(following)
		if (text === ',' && this.#block.breaks && this.#lineLength > MAX_LINE_LENGTH) this.#newLine(this.#block.indent + 1)
		if (token.kind !== 'comment') this.#previous = text
	}

	#breakBefore(text, next) {
		const {open, indent} = this.#block
		if (text === 'CASE' || text === 'BETWEEN') open.push(text)
		else if (text === 'END') open.length = Math.max(0, open.lastIndexOf('CASE'))
		else if (text === 'AND' && open.at(-1) === 'BETWEEN') open.pop()
		else if (open.includes('CASE')) return
		else if (text === 'AND' || text === 'OR') this.#newLine(indent + 1)
		else if (this.#isClause(text, next)) this.#newLine(indent)
	}

	#isClause(text, next) {
		if (CONTINUED.has(this.#previous)) return false
		if (JOINS.has(text)) return next !== '(' && !JOINS.has(this.#previous)
		return CLAUSES.has(text) || PAIRS[text]?.test(next) === true
	}

	#enter(next) {
		const breaks = next === 'SELECT' || next === 'WITH'
		this.#blocks.push(this.#block)
		this.#block = {outer: this.#lineIndent, indent: this.#lineIndent + 1, breaks, open: []}
	}

	#leave() {
		const inner = this.#block
		const outer = this.#blocks.pop()
		if (outer === undefined) return
		if (inner.breaks) this.#newLine(inner.outer)
		this.#block = outer
	}

	#newLine(indent) {
		if (this.tokens.length === 0) return
		if (this.tokens.at(-1)?.kind === 'space') this.tokens.pop()
		this.#lineIndent = indent
		this.#push({kind: 'space', text: \`\\n\${'  '.repeat(Math.min(indent, MAX_INDENT))}\`})
	}

	#push(token) {
		this.tokens.push(token)
		const end = token.text.lastIndexOf('\\n')
		this.#lineLength = end === -1 ? this.#lineLength + token.text.length : token.text.length - end - 1
	}
}

// ui/pure/queries.ts

function groupQueries(queries, repeated = []) {
	const numbered = queries.map((query, index) => ({index, query}))
	const shapes = groupBy(numbered, ({query}) => query.shape)
	return Array.from(shapes.values(), members => buildGroup(members, repeated))
}

function buildGroup(members, repeated) {
	const [first] = members
	const {kind, text} = first.query
	const rows = members.flatMap(({query}) => (query.rows === null ? [] : [query.rows]))
	return {
		first: first.query,
		index: first.index,
		members,
		total: sum(members.map(({query}) => query.duration ?? 0)),
		rows: rows.length === 0 ? null : sum(rows),
		errors: members.filter(({query}) => query.error !== null).length,
		params: [...new Set(members.flatMap(({query}) => query.params ?? []))],
		isRepeated: repeated.some(({kind: of, name, count}) => of === kind && count === members.length && text.startsWith(name)),
	}
}

function sortGroups(groups, sort, isReversed = false) {
	const sign = isReversed ? -1 : 1
	return groups.toSorted((a, b) => sign * compareGroups(a, b, sort) || a.index - b.index)
}

function compareGroups(a, b, sort) {
	if (sort === 'query') return a.first.text.localeCompare(b.first.text)
	if (sort === 'rows') return (b.rows ?? -1) - (a.rows ?? -1)
	return sort === 'time' ? b.total - a.total : a.index - b.index
}

function querySpan(query, total) {
	const start = clamp(query.start / total, 0, 1)
	const end = query.duration === null ? 1 : clamp((query.start + query.duration) / total, start, 1)
	return {start, length: end - start}
}

function busyShare(queries, total) {
	return coveredTime(queries.map(query => querySpan(query, total)))
}

function summarizeQueries(summary, record) {
	const {queries, queriesMore} = record
	const count = \`\${queries.length + queriesMore} \${queries.length + queriesMore === 1 ? 'query' : 'queries'}\`
	if (queries.length === 0) return count
	const share = busyShare(queries, Math.max(summary['dev.duration'], 1e-6))
	return \`\${count}, \${queriesMore > 0 ? 'at least ' : ''}\${percent(share)} of the time\`
}

function splitParams(params) {
	const values = []
	let depth = 0
	let start = 0
	for (const {0: text, index} of params.matchAll(/"(?:[^"\\\\]|\\\\[^])*"?|[[\\]{},]/g)) {
		if (text === '[' || text === '{') depth++
		else if (text === ']' || text === '}') depth--
		else if (text === ',' && depth === 0) {
			values.push(params.slice(start, index).trim())
			start = index + 1
		}
	}
	return [...values, params.slice(start).trim()]
}

const MAX_LABEL_LENGTH = 240

function queryLabel({kind, text}) {
	const line = compactQuery(kind, text)
		.map(token => token.text)
		.join('')
	return line.length > MAX_LABEL_LENGTH ? \`\${line.slice(0, MAX_LABEL_LENGTH)}…\` : line
}

function compactQuery(kind, text) {
	return kind === 'sql' ? compactSql(text) : [{kind: 'plain', text: text.replaceAll(/\\s+/g, ' ').trim()}]
}

function outcomeText({rows, status}) {
	if (status !== null) return String(status)
	return rows === null ? '' : formatCount(rows, 'row')
}

function durationText({duration}) {
	return duration === null ? 'still running' : ms(duration)
}

// ui/pure/call-rows.ts

const MAX_CALLS = 200

function buildCallRows({calls, queries}, total, isFull) {
	const queryRows = queries.map((query, index) => queryRow(query, index, total))
	const queriesByCall = groupBy(queryRows, ({query}) => (typeof query?.call === 'number' && query.call < calls.length ? query.call : -1))
	const group = rows => (isFull ? rows : groupRows(rows, isFull))
	const callRows = calls.map((call, index) => callRow$1(call, index, {total, queries: group(queriesByCall.get(index) ?? [])}))
	const otherRows = isFull ? callRows.slice(MAX_CALLS) : []
	const listed = isFull ? callRows.slice(0, MAX_CALLS) : groupRows(callRows, isFull)
	const rows = [...listed, ...group(queriesByCall.get(-1) ?? [])].toSorted((a, b) => startTime(a) - startTime(b))
	return otherRows.length === 0 ? rows : [...rows, severalRow('others', otherRows, isFull)]
}

function startTime({pieces}) {
	return pieces[0]?.start ?? 0
}

function callRow$1(call, index, {total, queries}) {
	return {
		key: \`c\${index}\`,
		name: call.name,
		kind: 'call',
		pieces: [{start: call.start / total, length: call.duration / total}],
		duration: call.duration,
		share: call.duration / total,
		hasError: call.error !== null,
		call,
		query: null,
		members: [],
		queries,
	}
}

function queryRow(query, index, total) {
	const span = querySpan(query, total)
	return {
		key: \`q\${index}\`,
		name: queryLabel(query),
		kind: 'query',
		pieces: [span],
		duration: query.duration,
		share: span.length,
		hasError: query.error !== null,
		call: null,
		query,
		members: [],
		queries: [],
	}
}

function groupRows(rows, isFull) {
	const groups = groupBy(rows, ({name, query}) => (query === null ? name : query.shape))
	return Array.from(groups.values(), group => (group.length === 1 ? group[0] : severalRow(group[0].name, group, isFull)))
}

function severalRow(name, members, isFull) {
	const queries = members.flatMap(row => row.queries.flatMap(query => (query.members.length > 0 ? query.members : query)))
	return {
		key: \`\${members[0]?.key}+\`,
		name: \`\${name} ×\${members.length}\`,
		kind: members[0]?.kind ?? 'call',
		pieces: members.flatMap(({pieces}) => pieces),
		duration: sum(members.map(({duration}) => duration ?? 0)),
		share: sum(members.map(({share}) => share)),
		hasError: members.some(({hasError}) => hasError),
		call: null,
		query: null,
		members,
		queries: isFull ? queries : groupRows(queries, isFull),
	}
}

function listCallRows(rows, open, depth = 0) {
	return rows.flatMap(row => {
		const below = open.has(row.key) && row.members.length > 0 ? row.members : row.queries
		return [{row, depth}, ...listCallRows(below, open, depth + 1)]
	})
}

// ui/pure/waterfall.ts

const PHASE_NAMES = {route: 'Route', guards: 'Guards', readBody: 'Read body', validate: 'Validate', providers: 'Providers', handler: 'Handler', serialize: 'Serialize', send: 'Send'}

const OPTIONAL_PHASES = new Set(['guards', 'providers'])

function buildWaterfall(summary, record, isFull) {
	const total = Math.max(summary['dev.duration'], sum(summary['dev.phases']), 1e-6)
	const rows = []
	let start = 0
	for (const [index, phase] of PHASES.entries()) {
		const duration = summary['dev.phases'][index] ?? 0
		if (duration > 0 || !OPTIONAL_PHASES.has(phase)) rows.push(phaseRow$1(phase, {start, duration, total}))
		if (phase === 'handler' && record !== null) rows.push(...buildCallRows(record, total, isFull))
		start += duration
	}
	const duration = total - start
	if (duration > total * 0.01 && duration > 0.05) {
		rows.push({name: 'Middleware', kind: 'rest', pieces: [], duration, share: duration / total})
	}
	return rows
}

function phaseRow$1(phase, time) {
	const {start, duration, total} = time
	return {name: PHASE_NAMES[phase], kind: phase, pieces: duration === 0 ? [] : [{start: start / total, length: duration / total}], duration: duration === 0 ? null : duration, share: duration / total}
}

function formatServerTiming(summary) {
	return PHASES.map((phase, index) => [phase, summary['dev.phases'][index] ?? 0])
		.filter(([, duration]) => duration > 0)
		.map(([phase, duration]) => \`\${phase};desc="\${PHASE_NAMES[phase]}";dur=\${duration.toFixed(2)}\`)
		.join(', ')
}

// ui/pure/compare.ts

function candidatesFor(summary, records) {
	const same = records.filter(record => {
		return record.id !== summary.id && isSameEndpoint(record, summary) && isOfFile(record) === isOfFile(summary)
	})
	const earlier = same.filter(record => record.time <= summary.time && isSuccess(record))
	return {previous: earlier[0] ?? null, pinned: same.filter(record => record['dev.pinned'])}
}

function findOriginal(summary, records) {
	return records.find(record => record.id === summary['dev.replayOf']) ?? null
}

function isSameEndpoint(a, b) {
	return a['http.route'] === b['http.route'] && a['http.request.method'] === b['http.request.method'] && a['code.function.name'] === b['code.function.name']
}

function compareSummaries(before, after) {
	const phases = PHASES.map((phase, index) => buildDelta(PHASE_NAMES[phase], before['dev.phases'][index] ?? 0, after['dev.phases'][index] ?? 0))
	const ran = phases.filter(delta => delta.before > 0 || delta.after > 0)
	return [...ran, buildDelta('Total', before['dev.duration'], after['dev.duration'])]
}

function buildDelta(name, before, after) {
	return {name, before, after, isWorse: after > before * 1.25 && after - before > 0.5}
}

function isSuccess(summary) {
	const status = summary['http.response.status_code']
	return status >= 200 && status < 400
}

// ui/views/tabs/distribution.ts

const BINS = 36
const MIN_DURATIONS = 4

function distribution(summary, records) {
	const durations = records
		.filter(record => isSameEndpoint(record, summary) && isSuccess(record) && isOfFile(record) === isOfFile(summary))
		.map(record => record['dev.duration'])
		.toSorted((a, b) => a - b)
	if (summary['code.function.name'] === null) return null
	if (durations.length < MIN_DURATIONS) return section('Against this endpoint', null, emptyMessage('Too few calls to compare with yet.'))
	const ownDuration = summary['dev.duration']
	const slower = durations.filter(duration => duration < ownDuration).length / durations.length
	const text = \`this call, slower than \${shareText(slower)}\`
	const label = \`Durations of \${durations.length} calls of this endpoint; \${text}\`
	const chartView = chart(
		'ctx',
		() => label,
		(svg, width) => paintDistribution(svg, {durations, own: ownDuration, text, width}),
	)
	return section('Against this endpoint', formatCount(durations.length, 'successful call'), chartView.element)
}

function shareText(share) {
	if (share === 0) return 'none'
	return share === 1 ? 'all' : \`\${clamp(Math.round(share * 100), 1, 99)}%\`
}

function paintDistribution(svg, {durations, own, text, width}) {
	const low = Math.max(1e-3, Math.min(durations[0] ?? own, own) * 0.8)
	const high = Math.max(durations.at(-1) ?? own, own, low * 2) * 1.25
	const x = logarithmic([low, high], [4, width - 4])
	const size = (width - 8) / BINS
	const bins = Array.from({length: BINS}).fill(0)
	for (const duration of durations) {
		const bin = clamp(Math.floor((x(duration) - 4) / size), 0, BINS - 1)
		bins[bin] = (bins[bin] ?? 0) + 1
	}
	const highest = Math.max(...bins)
	for (const [bin, count] of bins.entries()) {
		const height = (count / highest) * 28
		const look = {width: size - 1, height, rx: 1, fill: 'var(--line-2)'}
		if (count > 0) svg.append(s('rect', {x: 4 + bin * size + 0.5, y: 44 - height, ...look}))
	}
	svg.append(s('line', {class: 'grid-l', x1: 4, x2: width - 4, y1: 44.5, y2: 44.5}))
	paintQuantiles(svg, {durations, x, width})
	const ownX = x(own)
	const anchor = {class: 'axis strong', x: clamp(ownX, 82, width - 82), y: 10, 'text-anchor': 'middle'}
	svg.append(s('line', {x1: ownX, x2: ownX, y1: 14, y2: 44, stroke: 'var(--accent)', 'stroke-width': 2}))
	svg.append(s('text', anchor, text))
}

function paintQuantiles(svg, {durations, x, width}) {
	let lastX = -Infinity
	for (const share of [0.5, 0.9, 0.99]) {
		const value = durations[Math.min(durations.length - 1, Math.floor(share * durations.length))] ?? 0
		const valueX = x(value)
		if (valueX - lastX < 78) continue
		lastX = valueX
		const text = \`p\${share * 100} \${ms(value)}\`
		svg.append(s('line', {x1: valueX, x2: valueX, y1: 40, y2: 48, stroke: 'var(--text-3)'}))
		svg.append(s('text', {class: 'axis', x: clamp(valueX, 34, width - 34), y: 59, 'text-anchor': 'middle'}, text))
	}
}

// ui/views/query-parts.ts

const COLORED = new Set(['keyword', 'string', 'number', 'parameter', 'comment'])

function tokenViews(tokens) {
	return tokens.map(({kind, text}) => (COLORED.has(kind) ? h('span', {class: \`q-\${kind}\`}, text) : text))
}

function compactText(kind, text) {
	return h('code', {class: 'qt'}, tokenViews(compactQuery(kind, text)))
}

function wholeText(kind, text) {
	const content = kind === 'sql' ? tokenViews(formatSql(text)) : text
	return h('div', {class: 'code wrap qw', tabindex: '0', role: 'region', 'aria-label': 'Text of the query'}, content)
}

function paramList(params) {
	const values = splitParams(params)
	const [only] = values
	if (values.length === 1) return h('code', null, only)
	return h(
		'ol',
		{class: 'ps'},
		values.map(value => h('li', null, h('code', null, value))),
	)
}

function queryDetails(query, total, state) {
	const share = query.duration === null ? '' : \`, \${percent(query.duration / total)} of the request\`
	return [
		wholeText(query.kind, query.text),
		pairs([
			['Parameters', query.params === null ? null : paramList(query.params)],
			['Result', outcomeText(query) || null],
			['Error', errorText(query.error)],
			['Duration', \`\${durationText(query)}\${share}\`],
			['Started', \`\${ms(query.start)} after the begin of the request\`],
			['Kind', query.kind],
			['Target', query.target],
			['Sent from', placeOrNull(query.site, state)],
		]),
	]
}

function callDetails(call, total, state) {
	return pairs([
		['Call', h('code', null, \`\${call.name}(\${call.args})\`)],
		['Result', call.result === null ? null : h('code', null, call.result)],
		['Error', errorText(call.error)],
		['Duration', \`\${ms(call.duration)}, \${percent(call.duration / total)} of the request\`],
		['Own time', [ms(call.own), ' ', secondaryText('without its queries')]],
		['Started', \`\${ms(call.start)} after the begin of the request\`],
		['Called from', placeOrNull(call.site, state)],
	])
}

function errorText(error) {
	return error === null ? null : h('span', {class: 'err'}, error)
}

function placeOrNull(place, state) {
	return place === null ? null : placeMark(place, state)
}

// ui/views/tabs/waterfall.ts

const MAX_ROWS = 50

const states = new WeakMap()

function waterfall(source, isFull) {
	const {summary, record} = source
	if (summary['dev.phases'].length === 0) return emptyMessage(isOfFile(summary) ? 'The file contains no phases.' : 'No phases were taken: too many requests at once')
	const state = (record && states.get(record)) ?? {open: new Set(), isWhole: false}
	if (record !== null) states.set(record, state)
	const rows = buildWaterfall(summary, record, isFull)
	const list = h('ul', {class: 'wf'})
	const more = h('p', {class: 'more'})
	const draw = () => {
		const items = rows.flatMap(row => ('key' in row ? listCallRows([row], state.open) : [row]))
		const isNested = item => 'depth' in item
		const hidden = new Set(state.isWhole ? [] : items.filter(isNested).slice(MAX_ROWS))
		const listed = items.filter(item => !isNested(item) || !hidden.has(item))
		fill(
			list,
			listed.map(item => (isNested(item) ? callRow(item, {source, state, draw: redraw}) : phaseRow(item))),
		)
		more.hidden = hidden.size === 0
		fill(more, \`\${int(hidden.size)} more rows are not shown.\`, textButton('Show all', showAll))
	}
	const box = h('div', null, list, more)
	const redraw = () => keepFocus(box, draw)
	const showAll = () => {
		state.isWhole = true
		redraw()
	}
	draw()
	return box
}

function phaseRow(row) {
	const color = \`var(--p-\${row.kind})\`
	const value = row.duration === null ? secondaryText(skipReason(row)) : ms(row.duration)
	return h(
		'li',
		null,
		h('div', {class: 'lb', title: row.name}, h('i', {css: {'--c': color}}), h('span', null, row.name)),
		track(row.pieces, color),
		h('div', {class: 'v'}, value, h('em', null, row.duration === null ? '' : percent(row.share))),
	)
}

function callRow({row, depth}, drawing) {
	const {open} = drawing.state
	const isOpen = open.has(row.key)
	const toggle = () => {
		if (!open.delete(row.key)) open.add(row.key)
		drawing.draw()
	}
	const duration = row.duration === null ? secondaryText('still running') : ms(row.duration)
	const attributes = {type: 'button', title: row.name, 'aria-expanded': String(isOpen), on: {click: toggle}}
	return h(
		'li',
		{class: row.kind === 'query' ? 'n sent' : 'n', css: {'--d': String(depth)}},
		h('div', {class: 'lb'}, h('button', attributes, h('span', null, row.name))),
		track(row.pieces, row.hasError ? 'var(--g-bad)' : \`var(--p-\${row.kind})\`),
		h('div', {class: row.hasError ? 'v bad' : 'v'}, duration, h('em', null, percent(row.share))),
		isOpen && row.members.length === 0 && h('div', {class: 'wd'}, details(row, drawing.source)),
	)
}

function details({call, query}, {summary, context}) {
	const total = Math.max(summary['dev.duration'], 1e-6)
	if (query !== null) return queryDetails(query, total, context.store.state)
	return call && callDetails(call, total, context.store.state)
}

function track(pieces, color) {
	return h(
		'div',
		{class: 'tr', 'aria-hidden': 'true'},
		pieces.map(({start, length}) => h('span', {css: {'--x': \`\${start * 100}%\`, '--w': \`\${length * 100}%\`, '--c': color}})),
	)
}

function skipReason(row) {
	return row.kind === 'readBody' ? 'no body' : 'skipped'
}

function waterfallBar(phases) {
	const ran = PHASES.map((phase, index) => ({phase, duration: phases[index] ?? 0})).filter(({duration}) => duration > 0)
	const label = ran.map(({phase, duration}) => \`\${PHASE_NAMES[phase]} \${ms(duration)}\`).join(', ')
	const pieces = ran.map(({phase, duration}) => h('span', {title: \`\${PHASE_NAMES[phase]} \${ms(duration)}\`, css: {'--f': String(duration), '--c': \`var(--p-\${phase})\`}}))
	return h('div', {class: 'phasebar', role: 'img', 'aria-label': label || 'No phase was measured'}, pieces)
}

// ui/views/tabs/overview.ts

function overviewPanel(source) {
	const {summary, record, context} = source
	return [
		callOuts(source),
		section('Where the time went', \`total \${ms(summary['dev.duration'])}\`, waterfall(source, false)),
		distribution(summary, context.store.state.records),
		record && section(summary['http.route'] === null && isOfFile(summary) ? 'Details' : 'Route', null, pairs(record.about.map(([name, text]) => [name, text.map(part => partView(part, source))]))),
	]
}

// ui/views/tabs/timing.ts

function timingPanel(source) {
	const {summary, record, context} = source
	const more = record === null || record.callsMore === 0 ? null : \`\${formatCount(record.callsMore, 'more call')} counted only\`
	return [
		section('Phases', \`total \${ms(summary['dev.duration'])}\`, waterfallBar(summary['dev.phases'])),
		section('Waterfall', more, waterfall(source, true)),
		distribution(summary, context.store.state.records),
		section('As a Server-Timing header', null, h('div', {class: 'code wrap'}, formatServerTiming(summary))),
	]
}

// ui/dom/table.ts

function table(heads, rows, isNumeric = false) {
	const cell = tag => (content, index) => h(tag, {class: isNumeric && index > 0 ? 'r' : null, scope: tag === 'th' ? 'col' : null}, content)
	const body = rows.map(cells => h('tr', null, cells.map(cell('td'))))
	const head = h('thead', null, h('tr', null, heads.map(cell('th'))))
	return h('table', {class: isNumeric ? 'simple num' : 'simple'}, head, h('tbody', null, body))
}

// ui/views/tabs/validation.ts

function validationPanel({record}) {
	const vendor = record.vendor === null ? null : \`\${record.vendor}, through Standard Schema\`
	const tables = ['request', 'response'].map(side => {
		const issues = record.issues.filter(issue => issue.side === side)
		return issues.length > 0 && section(\`Issues of the \${side}\`, vendor, issueTable(issues))
	})
	const {body} = record.request
	return [tables, body && section('Body as received', null, bodyView(body))]
}

function issueTable(issues) {
	const rows = issues.map(({where, message, code, received, missing = false}) => [
		h(
			'code',
			null,
			where.split(/(?<=\\.)/).map(part => [part, h('wbr')]),
		),
		[message, ' ', secondaryText(code)],
		received === null ? secondaryText(missing ? 'missing' : 'not kept') : h('code', null, received),
	])
	return table(['Where', 'Message', 'Received'], rows)
}

// ui/views/tabs/tabs.ts

const WITHOUT_RECORD = new Map([
	['overview', overviewPanel],
	['timing', timingPanel],
	['compare', (source, secondScript) => secondScript?.comparePanel(source)],
])

const WITH_RECORD = new Map([
	['request', requestPanel],
	['response', responsePanel],
	['queries', (source, secondScript) => secondScript?.queriesPanel(source)],
	['logs', logsPanel],
	['validation', validationPanel],
	['error', errorPanel],
])

function tabsFor(summary, chosen) {
	const plain = (id, label) => ({id, label, count: null, className: ''})
	const issues = summary['dev.issues']
	const tabs = [plain('overview', 'Overview'), plain('request', 'Request'), plain('response', 'Response')]
	if (summary['dev.queries'] > 0) tabs.push({...plain('queries', 'Queries'), count: summary['dev.queries']})
	tabs.push(plain('timing', 'Timing'), {...plain('logs', 'Logs'), count: summary['dev.logs'] || null})
	if (issues > 0) tabs.push({id: 'validation', label: 'Validation', count: issues, className: 'warn'})
	if (summary['error.type'] !== null) tabs.push({id: 'error', label: 'Error', count: 1, className: 'bad'})
	tabs.push(plain('compare', 'Compare'))
	const hasForm = summary['code.function.name'] === null || isOfFile(summary) || chosen === 'edit'
	return hasForm ? [...tabs, plain('edit', 'Edit and resend')] : tabs
}

function tabPanel(tab, source, secondScript) {
	const withoutRecord = WITHOUT_RECORD.get(tab)
	if (withoutRecord !== undefined) return withoutRecord(source, secondScript)
	if (source.record !== null) return WITH_RECORD.get(tab)?.({...source, record: source.record}, secondScript)
	return !source.isGone && emptyMessage('Reading …')
}

// ui/views/detail.ts

class Detail {
	element = h('section', {class: 'pane detail', 'aria-label': 'Request', hidden: true})
	#context
	#head = h('div', {class: 'dh'})
	#facts = h('div', null)
	#tabs
	#panel
	#summary = null
	#shown = []
	#shownFacts = []
	#unfoldedId = ''
	#unfold = textButton('Show all', () => this.#showWhole(), 'link')
	#form = null

	constructor(context) {
		this.#context = context
		this.#tabs = new TabBar('Request', tab => context.go({...context.address(), tab}, 'replace'))
		this.#panel = h('div', {class: 'db', role: 'tabpanel', id: 'panel', tabindex: '0'})
		this.#head.append(this.#facts, this.#tabs.element)
		new ResizeObserver(() => this.#showUnfold()).observe(this.#head)
	}

	update(state, address) {
		const {id} = address
		this.element.hidden = id === null
		if (id === null) {
			this.#summary = null
			this.#shown = []
			return
		}
		const listed = state.records.find(record => record.id === id) ?? null
		const isOpen = listed === null && state.open.some(call => call.id === id)
		const loadedRecord = this.#load(id, isOpen)
		const record = loadedRecord.kind === 'ready' ? loadedRecord.value : null
		const summary = listed ?? record
		const next = [id, summary, record, address.tab, loadedRecord.kind, address.q, isOpen, state.boot, this.#context.secondScript]
		if (isSame(next, this.#shown)) return
		const isOther = this.#shown[0] !== id
		this.#shown = next
		this.#summary = summary
		const error = loadedRecord.kind === 'failed' ? loadedRecord.error : null
		if (summary === null) this.#showMissing(id, isOpen, error)
		else this.#show({summary, record, failure: error && error.message}, address)
		if (isOther && matchMedia('(max-width: 760px)').matches) this.focus()
	}

	focus() {
		this.element.querySelector('h2')?.focus()
	}

	command(command) {
		const summary = this.#summary
		if (summary === null) return false
		if (command === 'replay') this.#replay(summary)
		else if (command === 'edit') void edit(this.#context, summary)
		else if (command === 'copy') void copy(this.#context, summary, 'cURL')
		else if (command === 'pin' && !this.#isEarlier(summary)) void togglePin(this.#context, summary)
		else return false
		return true
	}

	#replay(summary) {
		if (isOfFile(summary)) toast('A request from a file is not replayed: use Edit and resend')
		else void replay(this.#context, summary)
	}

	#load(id, isOpen) {
		return isOpen ? NOT_YET : this.#context.shelf.record(id)
	}

	#showMissing(id, isOpen, error) {
		if (!isOpen && error === null) {
			fill(this.element, emptyState('Reading the request …'))
			return
		}
		const text = isOpen ? 'The response is not complete yet.' : missingText$1(error, isOfFile({boot: id}))
		const back = formatAddress({q: this.#context.address().q})
		fill(this.element, emptyState(text, h('a', {class: 'btn', href: back}, 'Back to the list')))
	}

	#show(shown, address) {
		const {summary, record, failure} = shown
		const tabs = tabsFor(summary, address.tab)
		const tab = tabs.find(it => it.id === address.tab)?.id ?? 'overview'
		const back = formatAddress({...address, id: null, tab: ''})
		const facts = [summary, back, this.#context.store.state.boot]
		if (!isSame(facts, this.#shownFacts)) {
			this.#shownFacts = facts
			keepFocus(this.#facts, () => fill(this.#facts, titleLine(summary, back), this.#unfold, factLine(summary), this.#actions(summary)))
		}
		this.#head.classList.toggle('cut', this.#unfoldedId !== summary.id)
		this.#panel.setAttribute('aria-labelledby', \`tab-\${tab}\`)
		const top = this.#panel.dataset['of'] === \`\${summary.id} \${tab}\` ? this.#panel.scrollTop : 0
		this.#panel.dataset['of'] = \`\${summary.id} \${tab}\`
		const note = failure !== null && emptyMessage(\`Only the summary is left of this request. \${failure}.\`)
		const source = {summary, record, isGone: failure !== null, context: this.#context}
		const {secondScript} = this.#context
		const isForm = tab === 'edit' && record !== null
		const content = isForm ? this.#formFor(record) : tabPanel(tab, source, secondScript)
		keepFocus(this.#panel, () => fill(this.#panel, note, content))
		this.#panel.scrollTop = top
		if (this.#panel.parentElement === null || !this.element.contains(this.#panel)) {
			fill(this.element, this.#head, this.#panel)
		}
		this.#showUnfold()
		this.#tabs.show(tabs, tab)
	}

	#formFor(record) {
		const {secondScript} = this.#context
		if (secondScript === null) return null
		if (this.#form?.id !== record.id) {
			const form = new secondScript.TryIt({context: this.#context, route: null, document: {}, draft: record})
			this.#form = {id: record.id, form}
		}
		return this.#form.form.element
	}

	#showUnfold() {
		const heading = this.#facts.querySelector('h2')
		const isCut = heading !== null && heading.scrollHeight > heading.clientHeight + 1
		this.#unfold.hidden = !isCut
	}

	#showWhole() {
		this.#unfoldedId = this.#summary?.id ?? ''
		this.#head.classList.remove('cut')
		this.#showUnfold()
		this.focus()
	}

	#isEarlier({boot}) {
		return boot !== this.#context.store.state.boot
	}

	#actions(summary) {
		const context = this.#context
		const on = act => ({click: () => void act()})
		const resend = {title: 'Send the same request again (r)', on: on(() => replay(context, summary))}
		return h(
			'div',
			{class: 'acts'},
			isOfFile(summary) ? secondaryText('From a file') : button('replay', 'Replay', resend),
			button('edit', 'Edit and resend', {title: 'Edit and resend (e)', on: on(() => edit(context, summary))}),
			copyMenu(context, summary),
			!this.#isEarlier(summary) &&
				button('pin', summary['dev.pinned'] ? 'Pinned' : 'Pin', {title: 'Keep stored (p)', 'aria-pressed': String(summary['dev.pinned']), on: on(() => togglePin(context, summary))}),
		)
	}
}

const NOT_YET = {kind: 'loading'}

function missingText$1(error, isFile) {
	if (isFile) return 'This request is from a file. Open the file again to see it.'
	return error?.status === 404
		? \`This request is no longer stored. The app stores the newest \${MAX_RECORDS$1}, \${MAX_OF_GROUP} failed and rejected ones each, and those that are pinned.\`
		: 'The request could not be read: the app does not respond.'
}

function titleLine(summary, back) {
	const path = pathMark(summary['url.path'], summary['http.route'], summary['url.query'])
	return h(
		'div',
		{class: 't'},
		h('a', {class: 'btn icon ghost only-n', href: back, 'aria-label': 'Back to the list'}, icon('back')),
		h('h2', {tabindex: '-1'}, methodMark(summary['http.request.method']), ' ', path),
		h('a', {class: 'btn icon ghost wide', href: back, 'aria-label': 'Close', title: 'Close (Esc)'}, icon('close')),
	)
}

function factLine(summary) {
	const sizes = \`\${formatBytes(summary['http.request.body.size'])} in, \${formatBytes(summary['http.response.body.size'])} out\`
	return h(
		'div',
		{class: 'facts num'},
		statusMark(summary['http.response.status_code'], true),
		h('span', null, ms(summary['dev.duration'])),
		h('span', null, sizes),
		h('span', null, clock(summary.time).join('')),
		h('span', {class: 'mono dim'}, summary.id),
		replayNote(summary),
	)
}

function replayNote(summary) {
	const original = originalId(summary)
	if (original === null) return null
	return h('span', null, 'replay of ', h('a', {class: 'link mono', href: formatAddress({id: original})}, original))
}

// ui/pure/suggest.ts

const MAX_SUGGESTIONS = 8

const VALUES = {
	status: summary => String(summary['http.response.status_code']),
	method: summary => summary['http.request.method'],
	path: summary => summary['url.path'],
	template: summary => summary['http.route'] ?? '',
	handler: summary => summary['code.function.name'] ?? '',
	client: summary => summary['client.address'] ?? '',
	version: summary => summary['dev.version']?.asked ?? '',
}

function suggestTerms(q, records) {
	const word = q.slice(q.search(/(?<!\\S)\\S*$/))
	const minus = word.startsWith('-') ? '-' : ''
	const [before, term] = [q.slice(0, q.length - word.length), word.slice(minus.length)]
	const [, key, start] = /^([a-z]+):(.*)$/i.exec(term) ?? []
	const suggestions = key === undefined ? suggestKeys(term) : suggestValues(key.toLowerCase(), start ?? '', records)
	return suggestions
		.filter(({text}) => text !== term)
		.slice(0, MAX_SUGGESTIONS)
		.map(({text, hint}) => ({text, hint, q: \`\${before}\${minus}\${text}\`}))
}

function suggestKeys(word) {
	if (word === '') return []
	const keys = FILTER_HINTS.filter(([key]) => key.startsWith(word.toLowerCase()))
	return keys.map(([key, hint]) => ({text: \`\${key}:\`, hint}))
}

function suggestValues(key, start, records) {
	const readValue = Object.hasOwn(VALUES, key) ? VALUES[key] : undefined
	const values = readValue === undefined ? listWords(key) : [...new Set(records.map(readValue))].toSorted()
	const isMatch = value => value !== '' && value.toLowerCase().startsWith(start.toLowerCase())
	return values.filter(isMatch).map(value => ({text: \`\${key}:\${/\\s/.test(value) ? \`"\${value}"\` : value}\`, hint: ''}))
}

function listWords(key) {
	const [, hint = ''] = FILTER_HINTS.find(([name]) => name === key) ?? []
	return hint.startsWith('one of ') ? hint.slice('one of '.length).split(', ') : []
}

// ui/views/filter-bar.ts

const EXAMPLE = 'status:5xx  -method:GET  dur:>200ms  path:/invoices*  is:n+1'

const FILE_TITLE = 'Open a HAR file or a JSON record'

class FilterBar {
	element
	focus
	#input
	#error = h('p', {class: 'field-err', id: 'filter-error', role: 'status', hidden: true})
	#suggestions = h('div', {class: 'suggest', role: 'group', 'aria-label': 'Suggestions'})
	#actions
	#suggested = ''
	#quick
	#har

	constructor(actions) {
		this.#actions = actions
		const field = searchField('Filter requests', EXAMPLE, {input: () => actions.filter(this.#input.value)})
		field.element.addEventListener('keydown', event => this.#handleKey(event))
		this.#input = field.input
		this.focus = field.focus
		this.#input.setAttribute('aria-describedby', 'filter-error')
		field.element.append(h('div', {class: 'field-pop'}, this.#error, this.#suggestions))
		this.#quick = QUICK_FILTERS.map(([label, q, className]) => {
			const count = h('small', null)
			const choose = () => actions.filter(this.#input.value === q ? '' : q)
			const attributes = {type: 'button', 'aria-pressed': 'false', on: {click: choose}}
			return {q, count, element: h('button', attributes, h('span', {class: className}, label), count)}
		})
		const title = 'Download the requests shown as an HTTP archive, without secrets'
		this.#har = h('a', {class: 'btn', download: true, title}, icon('download'), h('span', {class: 'txt'}, 'HAR'))
		this.#har.setAttribute('aria-label', \`HAR: \${title}\`)
		const elements = this.#quick.map(({element}) => element)
		this.element = h(
			'div',
			{class: 'bar full'},
			field.element,
			h('div', {class: 'seg', role: 'group', 'aria-label': 'Quick filters'}, elements),
			this.#har,
			button('folder', 'Open', {'aria-label': FILE_TITLE, title: \`\${FILE_TITLE} (o)\`, on: {click: actions.chooseFile}}),
			iconButton('trash', 'Clear the list (Shift X)', {on: {click: actions.clear}}),
		)
	}

	update(q, records) {
		if (this.#input.value !== q) this.#input.value = q
		this.#showErrors(parseFilter(q, serverNow()).errors)
		this.#har.href = harLink(q)
		this.#suggest(q, records)
		for (const {q: quickFilter, element, count} of this.#quick) {
			element.setAttribute('aria-pressed', String(quickFilter === q.trim()))
			const {matches} = parseFilter(quickFilter)
			fill(count, records.filter(summary => matches({summary})).length)
		}
	}

	#suggest(q, records) {
		const suggestions = suggestTerms(q, records)
		const json = JSON.stringify(suggestions)
		if (json === this.#suggested) return
		this.#suggested = json
		const choose = filter => () => {
			this.#actions.filter(filter)
			this.#input.focus()
		}
		const buttons = suggestions.map(({text, hint, q}) => textButton([text, ' ', h('small', null, hint)], choose(q), ''))
		fill(this.#suggestions, buttons)
	}

	#handleKey(event) {
		const places = [this.#input, ...this.#suggestions.children]
		const place = places.findIndex(element => element === document.activeElement)
		const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
		const next = step && places[place + step]
		if (next instanceof HTMLElement) {
			event.preventDefault()
			next.focus()
		}
		if (event.key !== 'Escape') return
		event.stopPropagation()
		if (place > 0) this.#input.focus()
		else if (this.#input.value === '') this.#input.blur()
		else this.#actions.filter('')
	}

	#showErrors(errors) {
		const text = errors.map(error => error.message).join('. ')
		setAttribute(this.#input, 'aria-invalid', errors.length > 0 ? 'true' : null)
		this.#error.hidden = errors.length === 0
		if (this.#error.textContent !== text) this.#error.textContent = text
	}
}

// ui/views/row.ts

const COLUMNS = [
	['Status', 'c-st'],
	['Method', 'c-m'],
	['Path', ''],
	['Handler', 'c-h k-h'],
	['Phases, log scale', 'c-b k-b'],
	['Duration', 'c-d r'],
	['Size', 'c-sz k-sz r'],
	['Time', 'c-w r'],
]

const BAR_TICKS = [1, 10, 100, 1_000]

function listRow(item, address) {
	if (item.kind === 'divider') {
		return h('tr', {class: 'divider'}, h('td', null, h('span', null, item.text)))
	}
	const {record, isOld} = item
	return h(
		'tr',
		{class: \`row\${isOld ? ' old' : ''}\`, 'data-id': record.id},
		h('td', {class: 'k-st'}, isRunning(record) ? h('span', {class: 'st s0'}, '…') : statusMark(record['http.response.status_code'])),
		h('td', {class: 'k-m'}, methodMark(record['http.request.method'])),
		h('td', {class: 'k-p'}, pathCell(record, address)),
		h('td', {class: 'k-h sub'}, record['code.function.name'] ?? ''),
		h('td', {class: 'k-b'}, phaseBar(record)),
		h('td', {class: 'k-d r num'}, ms(record['dev.duration'])),
		h('td', {class: 'k-sz r num sub'}, isRunning(record) ? '' : formatBytes(record['http.response.body.size'])),
		h('td', {class: 'k-w r num dim'}, timeCell(record.time)),
	)
}

function gapRow() {
	return h('tr', {class: 'gap', 'aria-hidden': 'true'}, h('td', null))
}

function openClickedRow(event, open) {
	if (!(event.target instanceof Element) || event.target.closest('a') !== null) return
	const id = event.target.closest('tr')?.dataset['id']
	if (id !== undefined && getSelection()?.isCollapsed !== false) open(id)
}

function pathCell(record, address) {
	const path = pathMark(record['url.path'], record['http.route'], record['url.query'])
	const link = isRunning(record) ? h('span', {class: 'pth'}, path) : h('a', {class: 'pth', href: formatAddress({...address, id: record.id})}, path)
	const tags = flagTags(record).map(({text, className, hint}) => h('span', {class: \`tag \${className}\`, title: hint}, text))
	return h('span', null, link, tags.length > 0 && h('span', {class: 'flags'}, tags))
}

function timeCell(time) {
	const [seconds, fraction] = clock(time)
	return h('time', {datetime: new Date(time).toISOString()}, seconds, h('span', {class: 'fr'}, fraction))
}

function phaseBar(record) {
	const length = barLength(record['dev.duration'])
	const ticks = BAR_TICKS.map(tick => {
		return s('rect', {x: barLength(tick), y: 0, width: 0.35, height: 8, fill: 'var(--line-2)'})
	})
	const wholeBar = s('rect', {x: 0, y: 0, width: length, height: 8, fill: 'var(--p-rest)'})
	const pieces = barPieces(record['dev.phases'], record['dev.duration'], length)
		.filter(piece => piece.length > 0.4)
		.map(({index, start, length}) => {
			const fill = \`var(--p-\${PHASES[index] ?? 'rest'})\`
			return s('rect', {x: start, y: 0, width: Math.max(0.6, length - 0.3), height: 8, fill})
		})
	return s('svg', {viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true'}, s('rect', {x: 0, y: 3.5, width: 100, height: 1, fill: 'var(--line)'}), ticks, wholeBar, pieces)
}

// ui/views/request-list.ts

const SPARE_ROWS = 12
const TOP = 4
const MAX_HIGHLIGHTED = 8

class RequestList {
	element
	#scroller
	#body
	#table
	#pill
	#heads
	#before = gapRow()
	#after = gapRow()
	#rows = new Map()
	#fresh = new Set()
	#shown = []
	#newest = []
	#address
	#rowHeight = 30
	#top = 0
	#height = 0

	constructor(address, open, sort) {
		this.#address = address
		this.#body = h('tbody', null)
		const heads = COLUMNS.map(([label, className]) => {
			const content = isSortable(label) ? textButton(label, () => sort(label), '') : label
			return h('th', {scope: 'col', class: className}, content)
		})
		this.#heads = heads
		const caption = h('caption', {class: 'vh'}, 'Recorded requests, newest first')
		this.#table = h('table', {class: 'rt'}, caption, h('thead', null, h('tr', null, heads)), this.#body)
		this.#scroller = h('div', {class: 'scroll', tabindex: '-1'}, this.#table)
		this.#scroller.addEventListener('scroll', () => this.#handleScroll(), {passive: true})
		this.#body.addEventListener('click', event => openClickedRow(event, open))
		this.#pill = h('button', {type: 'button', class: 'pill-new', hidden: true, on: {click: () => this.toTop()}})
		this.element = h('div', {class: 'scroll-box'}, this.#scroller, this.#pill)
		new ResizeObserver(() => this.#handleResize()).observe(this.#scroller)
	}

	show(items, address, isOther) {
		if (isOther || linkBase(address) !== linkBase(this.#address)) this.#rows = new Map()
		this.#address = address
		this.#newest = items
		this.#showSort(address.sort)
		if (isOther) this.#scrollTo(0)
		if (isOther || this.#top < TOP || items.length === 0) this.#accept(isOther)
		else this.#refreshInPlace()
		this.#draw()
		this.#showPill()
	}

	#showSort(sort) {
		const direction = sort.startsWith('-') ? 'descending' : 'ascending'
		for (const head of this.#heads) {
			const column = String(head.textContent)
			const isSorted = sort.replace('-', '') === column && isSortable(column)
			setAttribute(head, 'aria-sort', isSorted ? direction : null)
		}
	}

	toTop() {
		this.#scrollTo(0)
		this.#accept(false)
		this.#draw()
		this.#showPill()
		this.#scroller.focus()
	}

	reveal() {
		const index = this.#shown.findIndex(item => item.key === this.#address.id)
		if (index === -1) return
		const head = this.#table.querySelector('thead')?.clientHeight ?? 0
		const top = index * this.#rowHeight
		const bottom = top + this.#rowHeight + head
		if (top < this.#top) this.#scrollTo(top)
		else if (bottom > this.#top + this.#height) this.#scrollTo(bottom - this.#height)
		this.#draw()
	}

	focusRow(id) {
		const link = this.#rows.get(id)?.element.querySelector('a') ?? this.#scroller
		link.focus({preventScroll: true})
	}

	#accept(isOther) {
		const shownKeys = new Set((isOther ? this.#newest : this.#shown).map(item => item.key))
		this.#fresh = new Set(this.#newest.map(item => item.key).filter(key => !shownKeys.has(key)))
		this.#shown = this.#newest
	}

	#refreshInPlace() {
		const newest = new Map(this.#newest.map(item => [item.key, item]))
		this.#shown = this.#shown.map(item => newest.get(item.key) ?? item)
	}

	#scrollTo(top) {
		this.#scroller.scrollTop = top
		this.#top = top
	}

	#handleResize() {
		this.#height = this.#scroller.clientHeight
		this.#draw()
		const height = this.#rows.values().next().value?.element.getBoundingClientRect().height ?? 0
		if (height > 0) this.#rowHeight = height
		this.#draw()
	}

	#handleScroll() {
		this.#top = this.#scroller.scrollTop
		if (this.#top < TOP && this.#shown !== this.#newest) this.#accept(false)
		this.#draw()
		this.#showPill()
	}

	#showPill() {
		const visibleIds = new Set(this.#shown.map(item => item.key))
		const fresh = this.#newest.filter(item => item.kind === 'record' && !visibleIds.has(item.key)).length
		this.#pill.hidden = fresh === 0
		fill(this.#pill, icon('up'), \`\${fresh} new\`)
	}

	#draw() {
		const scroll = {top: this.#top, height: this.#height, row: this.#rowHeight}
		const {first, end} = visibleRows(scroll, this.#shown.length, SPARE_ROWS)
		const rows = new Map()
		for (const item of this.#shown.slice(first, end)) rows.set(item.key, this.#rowFor(item))
		const focusedId = this.#focusedId()
		placeChildren(this.#body, [this.#before, ...[...rows.values()].map(row => row.element), this.#after])
		this.#rows = rows
		if (focusedId !== null && this.#focusedId() === null) this.focusRow(focusedId)
		this.#fresh.clear()
		this.#before.style.setProperty('--h', \`\${first * this.#rowHeight}px\`)
		this.#after.style.setProperty('--h', \`\${(this.#shown.length - end) * this.#rowHeight}px\`)
		this.#table.setAttribute('aria-rowcount', String(this.#shown.length + 1))
	}

	#focusedId() {
		const focused = document.activeElement
		const row = focused !== null && this.#body.contains(focused) ? focused.closest('tr') : null
		return row?.dataset['id'] ?? null
	}

	#rowFor(item) {
		const old = this.#rows.get(item.key)
		const isSame = old !== undefined && isEqual(old.item, item)
		const row = isSame ? old : {item, element: listRow(item, this.#address)}
		const isSelected = item.key === this.#address.id
		row.element.classList.toggle('sel', isSelected)
		setAttribute(row.element.querySelector('a') ?? row.element, 'aria-current', isSelected ? 'true' : null)
		if (this.#fresh.size <= MAX_HIGHLIGHTED && this.#fresh.has(item.key)) row.element.classList.add('new')
		return row
	}
}

function linkBase({tab, q, sort}) {
	return \`\${tab} \${q} \${sort}\`
}

function isEqual(a, b) {
	return a.kind === 'record' && b.kind === 'record' ? a.record === b.record && a.isOld === b.isOld : a.kind === b.kind
}

// ui/views/strip.ts

const SPAN_MS = 60_000
const LABELS = ['−60 s', '−45 s', '−30 s', '−15 s', 'now']
const MARGIN = 5
const COLORS = ['--g-none', '--g-ok', '--g-ok', '--g-info', '--g-warn', '--g-bad']

function stripChart(data, open) {
	const label = () => {
		const visibleCount = data().records.filter(record => record.time > data().now - SPAN_MS).length
		return \`\${visibleCount} requests of the last minute by duration; the list has them in words\`
	}
	const strip = chart('strip', label, (svg, width, height) => paintStrip(svg, {...data(), width, height}))
	strip.element.addEventListener('click', event => {
		const mark = event.target instanceof Element ? event.target.closest('[data-id]') : null
		const id = mark?.getAttribute('data-id') ?? null
		if (id !== null) open(id)
	})
	return strip
}

function paintStrip(svg, data) {
	const {width, height, now, selected} = data
	const [x1, x2] = [46, width - 14]
	const y = logarithmic([0.4, 4_000], [height - 24, 9])
	const x = linear([now - SPAN_MS, now], [x1 + MARGIN, x2 - MARGIN])
	for (const tick of [1, 30, 1_000]) svg.append(...gridLine({x1, x2, y: y(tick)}, tickLabel(tick)))
	svg.append(...timeAxis({x1, x2, y: height - 4}, LABELS))
	for (const record of data.records) {
		if (record.time < now - SPAN_MS) continue
		svg.append(requestMark(record, {x, y}, data.matching.has(record.id)))
		if (record.id !== selected) continue
		const center = {cx: x(record.time), cy: y(record['dev.duration'])}
		svg.append(s('circle', {...center, r: 7.5, fill: 'none', stroke: 'var(--accent)', 'stroke-width': 1.8}))
	}
}

function requestMark(record, scale, isOn) {
	const kind = clamp(Math.floor(record['http.response.status_code'] / 100), 0, 5)
	const [x, y] = [scale.x(record.time), scale.y(record['dev.duration'])]
	const strength = kind >= 4 ? 0.95 : 0.65
	const look = {class: 'mark', 'data-id': record.id, fill: \`var(\${COLORS[kind] ?? '--g-none'})\`, opacity: isOn ? strength : 0.12}
	const title = s('title', null, describeRequest(record))
	if (kind === 5) return s('path', {...look, d: \`M\${x} \${y - 4.6}l4.4 7.8h-8.8z\`}, title)
	if (kind === 4) return s('rect', {...look, x: x - 2.8, y: y - 2.8, width: 5.6, height: 5.6}, title)
	return s('circle', {...look, cx: x, cy: y, r: 2.7}, title)
}

// ui/views/requests.ts

const STRIP_MS = 1_000

class RequestsView {
	element
	#context
	#bar
	#list
	#detail
	#split
	#flood = h('p', {class: 'flood', hidden: true})
	#file = h('div', {class: 'banner note', role: 'note', 'aria-label': 'Open file', hidden: true})
	#empty = h('div', {hidden: true})
	#strip
	#timer
	#filter = parseFilter('')
	#search
	#q = null
	#matching = []
	#address
	#stoppedAt = null
	#drawn = 0
	#isStripEmpty = true
	#openFile = null

	constructor(context) {
		this.#context = context
		this.#search = new RecordSearch(context.store, context.shelf)
		this.#address = context.address()
		const open = id => context.go({...this.#address, id})
		this.#bar = new FilterBar({filter: q => context.go({...this.#address, q}, 'replace'), clear: () => void clearAll(context), chooseFile: context.chooseFile})
		const sort = column => context.go({...this.#address, sort: nextSort(column, this.#address.sort)}, 'replace')
		this.#list = new RequestList(this.#address, open, sort)
		this.#strip = stripChart(() => this.#stripData(), open)
		this.#detail = new Detail(context)
		const pane = {class: 'pane list', 'aria-label': 'Requests'}
		const list = h('section', pane, this.#strip.element, this.#flood, this.#file, this.#empty, this.#list.element)
		this.#split = h('div', {class: 'split'}, list, this.#detail.element)
		this.element = h('div', {class: 'main-in'}, this.#bar.element, this.#split)
		this.#timer = setInterval(() => this.#drawStrip(), STRIP_MS)
	}

	update(state, address) {
		const isOtherList = this.#q !== address.q || this.#address.sort !== address.sort
		const isMoved = this.#address.id !== address.id || isOtherList
		this.#address = address
		this.#stoppedAt = state.paused ? (this.#stoppedAt ?? serverNow()) : null
		if (isOtherList) this.#setFilter(address.q)
		const matching = this.#match(state)
		this.#matching = sortRequests(matching, address.sort) ?? newestFirst(matching)
		this.#bar.update(address.q, state.records)
		this.#list.show(buildItems(this.#matching, state, address.sort), address, isOtherList)
		this.#showFlood(state)
		this.#showFile(state)
		this.#showEmpty(state)
		this.#split.classList.toggle('open', address.id !== null)
		this.#detail.update(state, address)
		if (isMoved) this.#list.reveal()
		if (isMoved || this.#isStripStale(state)) this.#drawStrip()
	}

	#isStripStale({records}) {
		return (this.#isStripEmpty && records.length > 0) || Date.now() - this.#drawn > STRIP_MS / 3
	}

	command(command) {
		if (command === 'filter') this.#bar.focus()
		else if (command === 'next') this.#step(1)
		else if (command === 'previous') this.#step(-1)
		else if (command === 'open') this.#detail.focus()
		else if (command === 'close') this.#close()
		else return this.#detail.command(command)
		return true
	}

	dispose() {
		clearInterval(this.#timer)
	}

	#match(state) {
		const {matches, isEmpty, needsRecord} = this.#filter
		if (!needsRecord) return filterRequests(state, matches, isEmpty)
		const ids = this.#search.ids(this.#q ?? '', matches)
		return state.records.filter(summary => {
			const record = this.#context.shelf.findInFile(summary.id)
			return record === undefined ? ids.has(summary.id) : matches({summary, record})
		})
	}

	#setFilter(q) {
		const isNew = q !== '' && (this.#q ?? '') === ''
		this.#filter = parseFilter(q, serverNow())
		this.#q = q
		this.#context.feed.optionalEvents.set(q === '' ? ['open'] : ['log', 'open'])
		if (isNew) void this.#context.feed.refresh()
	}

	#step(by) {
		const records = this.#matching.filter(record => !isRunning(record))
		const index = records.findIndex(record => record.id === this.#address.id)
		const next = records[clamp(index + by, 0, records.length - 1)]
		const how = this.#address.id === null ? 'push' : 'replace'
		if (next === undefined) return
		this.#context.go({...this.#address, id: next.id}, how)
		say(describeRequest(next))
	}

	#close() {
		const {id} = this.#address
		if (id === null) return
		this.#context.go({...this.#address, id: null, tab: ''})
		requestAnimationFrame(() => this.#list.focusRow(id))
	}

	#stripData() {
		const now = this.#stoppedAt ?? serverNow()
		const matching = new Set(this.#matching.map(record => record.id))
		return {records: this.#context.store.state.records, matching, selected: this.#address.id, now}
	}

	#drawStrip() {
		this.#drawn = Date.now()
		this.#isStripEmpty = this.#context.store.state.records.length === 0
		this.#strip.draw()
	}

	#showFlood({buffer: {skipped}}) {
		const text = \`\${formatCount(skipped, 'more request')} counted, but not stored: too many came at once.\`
		this.#flood.hidden = skipped === 0
		if (this.#flood.textContent !== text) this.#flood.textContent = text
	}

	#showFile({file, records}) {
		if (file === this.#openFile) return
		this.#openFile = file
		this.#file.hidden = file === null
		if (file === null) return
		const count = formatCount(records.filter(({boot}) => boot === file.boot).length, 'request')
		const text = \`\${count} from \${file.name}, read-only. \${file.note ?? ''}\`.trimEnd()
		fill(
			this.#file,
			h('span', null, text),
			textButton('Close the file', () => this.#closeFile()),
		)
	}

	#closeFile() {
		const {id, q, tab, ...rest} = this.#address
		this.#context.shelf.open([])
		this.#context.store.update(closeFile)
		this.#context.go({...rest, ...(id !== null && isOfFile({boot: id}) ? {id: null, tab: ''} : {id, tab}), q: /^id:file-\\d+$/.test(q) ? '' : q})
		this.#bar.focus()
	}

	#showEmpty(state) {
		const isNothing = this.#matching.length === 0
		this.#empty.hidden = !isNothing
		this.#list.element.hidden = isNothing
		if (!isNothing) return
		const q = this.#address.q
		if (state.records.length > 0)
			fill(
				this.#empty,
				noMatch(q, () => this.#context.go({...this.#address, q: ''})),
			)
		else if (state.link === 'lost') fill(this.#empty, emptyState('The app does not respond. Start it again and its requests appear here.'))
		else if (state.boot !== '') fill(this.#empty, nothingYet())
	}
}

function noMatch(q, clear) {
	return emptyState(\`No request matches \${q}.\`, textButton('Clear the filter', clear))
}

function nothingYet() {
	const text = 'Nothing recorded yet. Send a request to your API and it appears here.'
	return emptyState(text, h('div', {class: 'code'}, \`curl \${location.origin}/\`))
}

// wire/span.ts

function span(span) {
	const seconds = Math.max(0, Math.floor(span / 1_000))
	const two = value => String(value).padStart(2, '0')
	if (seconds < 60) return \`\${seconds}s\`
	if (seconds < 3_600) return \`\${Math.floor(seconds / 60)}m \${two(seconds % 60)}s\`
	const hours = Math.floor(seconds / 3_600)
	return hours < 24 ? \`\${hours}h \${two(Math.floor(seconds / 60) % 60)}m\` : \`\${Math.floor(hours / 24)}d \${two(hours % 24)}h\`
}

// ui/pure/performance.ts

const HEAT_RANGE = {low: 0.25, high: 10_000}

const HEAT_BANDS = 23

const WINDOW = 5

const SLICE_MS = 10_000

function computeFigures(points) {
	const windows = points.map((_, index) => mergeCounts(points.slice(Math.max(0, index - WINDOW + 1), index + 1).map(point => point.durations)))
	return {
		rate: points.map(requestCount),
		errors: points.map(errorCount),
		p50: windows.map(counts => quantile(counts, 0.5)),
		p95: windows.map(counts => quantile(counts, 0.95)),
		p99: windows.map(counts => quantile(counts, 0.99)),
		inFlight: points.map(point => point.inFlight),
		loopDelay: points.map(point => point.loopDelay),
		heap: points.map(point => point.heap / 1e6),
	}
}

function errorCount(point) {
	return point.classes[5] ?? 0
}

function requestCount(point) {
	return sum(point.classes)
}

function summarizePoints(points) {
	const newest = points.at(-1)
	const recent = points.slice(-10)
	const requests = sum(points.map(requestCount))
	const errors = sum(points.map(errorCount))
	const counts = mergeCounts(points.map(point => point.durations))
	const delays = recent.flatMap(({loopDelay}) => (loopDelay === null ? [] : [loopDelay]))
	return {
		rate: sum(recent.map(requestCount)) / Math.max(1, recent.length),
		errorRate: requests === 0 ? 0 : errors / requests,
		p50: quantile(counts, 0.5),
		p99: quantile(counts, 0.99),
		inFlight: newest?.inFlight ?? 0,
		loopDelay: delays.length === 0 ? null : Math.max(...delays),
		heap: (newest?.heap ?? 0) / 1e6,
	}
}

const MIN_COLUMNS = 6

function countHeatColumns(slices, now) {
	const oldest = Math.min(now, ...slices.map(({time}) => time))
	return clamp(Math.floor(now / SLICE_MS) - Math.floor(oldest / SLICE_MS) + 1, MIN_COLUMNS, MAX_SLICES)
}

function heatColumns(slices, now, count = MAX_SLICES) {
	const bySlice = new Map(slices.map(slice => [slice.time, slice.durations]))
	const current = Math.floor(now / SLICE_MS) * SLICE_MS
	return Array.from({length: count}, (_, index) => {
		const time = current - (count - 1 - index) * SLICE_MS
		return {time, bands: countBands(mergeCounts([bySlice.get(time) ?? []]), HEAT_RANGE, HEAT_BANDS)}
	})
}

const MIN_REQUESTS = 5
const MIN_SLICES = 6

function worstEpisode(slices, columns) {
	const bySlice = new Map(slices.map(slice => [slice.time, mergeCounts([slice.durations])]))
	const values = columns.map(({time}) => highestP99(bySlice.get(time)))
	const present = values.filter(value => value !== null).toSorted((a, b) => a - b)
	const median = present[Math.floor(present.length / 2)]
	if (median === undefined || present.length < MIN_SLICES) return null
	const factors = values.map(value => (value ?? 0) / median)
	const top = factors.indexOf(Math.max(...factors))
	if ((factors[top] ?? 0) < 2) return null
	const isSlow = index => (factors[index] ?? 0) >= 2
	let [first, last] = [top, top]
	while (isSlow(first - 1)) first--
	while (isSlow(last + 1)) last++
	return {first, last, factor: factors[top] ?? 0}
}

function highestP99(counts) {
	return counts === undefined || countAll(counts) < MIN_REQUESTS ? null : quantile(counts, 0.99)
}

// ui/views/shell.ts

const GONE_MS = 10_000

class Shell {
	element
	main = h('main', {class: 'main', id: 'main', tabindex: '-1'})
	#name = h('span', {'aria-hidden': 'true'})
	#heading = h('h1', {class: 'vh'})
	#live = h('span', {class: 'live'})
	#pause
	#theme
	#note = h('div', {class: 'status', role: 'status'})
	#links = new Map()
	#foot = h('div', {class: 'foot'})
	#actions
	#noted = ''
	#waiting

	constructor(actions) {
		this.#actions = actions
		this.#pause = button('pause', 'Pause', {'aria-pressed': 'false', on: {click: actions.pause}})
		this.#theme = iconButton('light', 'Theme', {on: {click: actions.theme}})
		const glyph = h('span', {class: 'glyph'}, icon('command'))
		const path = h('span', {class: 'path', 'aria-hidden': 'true'}, location.pathname)
		const jump = button('search', 'Jump to', {class: 'btn wide', on: {click: actions.palette}})
		jump.append(h('kbd', null, 'Ctrl K'))
		const help = {class: 'btn icon wide', on: {click: actions.help}, 'aria-label': 'Keyboard shortcuts', title: 'Shortcuts (?)'}
		const header = h(
			'header',
			{class: 'top'},
			h('div', {class: 'brand'}, glyph, this.#heading, this.#name, path),
			h('span', {class: 'sp'}),
			this.#live,
			this.#pause,
			jump,
			this.#theme,
			h('button', {type: 'button', ...help}, '?'),
		)
		const nav = h(
			'nav',
			{class: 'nav', 'aria-label': 'Sections'},
			VIEWS.map(view => this.#linkTo(view)),
			this.#foot,
		)
		this.element = h('div', {class: 'app'}, header, nav, this.#note, this.main)
	}

	update(state, address, nav) {
		this.#showName(state, address)
		this.#showLive(state)
		this.#showNav(state, address, nav)
		this.#showNote(state)
		this.showTheme(theme())
	}

	showTheme(name) {
		if (this.#theme.dataset['theme'] === name) return
		this.#theme.dataset['theme'] = name
		setAttribute(this.#theme, 'aria-label', \`Theme: \${name}\`)
		setAttribute(this.#theme, 'title', \`Theme: \${name} (t)\`)
		fill(this.#theme, icon(name))
	}

	#linkTo(view) {
		const count = h('span', {class: 'ct'})
		const element = h('a', {href: formatAddress({view})}, icon(view), h('span', null, capitalize(view)), count)
		this.#links.set(view, {element, count})
		return element
	}

	#showName(state, address) {
		const name = state.app?.name ?? readMeta('name')
		this.#name.textContent = name
		this.#heading.textContent = \`Developer console of \${name}\`
		const failed = state.records.filter(record => record['http.response.status_code'] >= 500 && !isOfFile(record)).length
		document.title = \`\${failed === 0 ? '' : \`(\${failed}) \`}\${capitalize(address.view)} · \${name} \${location.pathname}\`
	}

	#showLive(state) {
		const {paused, link} = state
		const stateName = link === 'lost' ? 'disconnected' : link
		const text = capitalize(paused ? 'paused' : stateName)
		const rate = link === 'live' ? \`\${summarizePoints(state.points.slice(-3)).rate.toFixed(0)} req/s\` : ''
		const figure = paused ? \`\${countHeld(state)} held\` : rate
		this.#live.dataset['state'] = paused ? 'paused' : link
		fill(this.#live, h('span', {class: 'dot'}), h('b', null, text), h('span', {class: 'num'}, figure))
		if (this.#pause.getAttribute('aria-pressed') === String(paused)) return
		this.#pause.setAttribute('aria-pressed', String(paused))
		fill(this.#pause, icon(paused ? 'play' : 'pause'), h('span', {class: 'txt'}, paused ? 'Resume' : 'Pause'))
	}

	#showNav(state, address, {routes, filteredView}) {
		for (const [view, {element, count}] of this.#links) {
			const facts = VIEW_FACTS[view]
			const number = facts.count?.(state, routes) ?? 0
			setAttribute(element, 'aria-current', view === address.view ? 'page' : null)
			element.href = formatAddress(filteredView(view))
			count.textContent = number > 0 ? int(number) : ''
			count.classList.toggle('bad', facts.isAlarm === true && number > 0)
		}
		fill(this.#foot, footer(state))
	}

	#showNote(state) {
		const {link, linked} = state
		const isGone = hasGone(state)
		const noted = \`\${link} \${linked} \${isGone}\`
		if (noted === this.#noted || (link === 'live' && this.#noted.startsWith('live'))) return
		this.#noted = noted
		fill(this.#note, connectionNote(state, this.#actions.poll))
		clearTimeout(this.#waiting)
		if (state.goneSince > 0 && !isGone) this.#waiting = setTimeout(() => this.#showNote(state), GONE_MS)
	}
}

function hasGone({goneSince}) {
	return goneSince > 0 && serverNow() - goneSince >= GONE_MS
}

function connectionNote(state, poll) {
	const {link, linked, goneSince} = state
	const since = linked === 0 ? '' : \` What is shown is from \${clock(linked)[0]}.\`
	if (hasGone(state)) {
		const text = \`The app is gone since \${clock(goneSince)[0].slice(0, 5)}. Start it again, and the page goes on.\`
		return h('div', {class: 'banner bad'}, text, textButton('Try now', poll))
	}
	if (link === 'lost') {
		return h('div', {class: 'banner bad'}, \`The app does not respond; trying again.\${since}\`, textButton('Try now', poll))
	}
	if (link === 'restarting') return h('div', {class: 'banner'}, 'The app is restarting.')
	if (link === 'locked') {
		return h('div', {class: 'banner bad'}, 'The app wants a new token: open the link that it printed at its start.')
	}
	if (link !== 'polling') return null
	const text = 'Four other windows watch this app, so this one asks every few seconds.'
	return h('div', {class: 'banner'}, text, textButton('Update now', poll))
}

function footer({processes, buffer, app}) {
	const share = buffer.maxCount === 0 ? 0 : Math.min(1, buffer.count / buffer.maxCount)
	const up = processes[0] === undefined ? '' : \`up \${span(serverNow() - processes[0].started)}\`
	return [
		processes.map(({pid}) => h('div', {class: 'proc'}, h('i'), h('span', {class: 'mono'}, \`only process \${pid}\`))),
		h(
			'div',
			{title: \`\${formatBytes(buffer.bytes)} of \${formatBytes(buffer.maxBytes)}\`},
			h('div', {class: 'row'}, h('span', null, 'Stored'), h('span', {class: 'num'}, \`\${buffer.count} / \${buffer.maxCount}\`)),
			h('div', {class: 'meter'}, h('span', {css: {'--v': \`\${share * 100}%\`}})),
		),
		h('div', {class: 'row'}, h('span', null, app === null ? '' : \`Node \${app.node}\`), h('span', {class: 'num'}, up)),
	]
}

// ui/main.ts

const store = new Store()
const feed = new FeedClient(store)
const keeper = new Keeper(store, () => feed.isReader)
const shelf = new Shelf(store, keeper)
const chooseFile = () => opener?.choose()
const context = {store, feed, shelf, address: () => address, go, filteredView, chooseFile, draft: null, focusedForm: null, secondScript: null}
const palette = () => context.secondScript?.openPalette(context)
const help = () => context.secondScript?.openHelp()
const shell = new Shell({pause, palette, theme: nextTheme, help, poll: () => void feed.refresh()})

let opener = null
let address = parseAddress(location.hash)
let view = null
let viewName = null

function go(to, how = 'push') {
	const hash = formatAddress(to)
	if (hash === location.hash) return
	if (how === 'push') history.pushState(VISITED, '', hash)
	else history.replaceState(VISITED, '', hash)
	handleNavigation()
}

const VISITED = 'visited'
let linkedId = null

function noteOpenedLink() {
	const {view, id} = address
	if (history.state !== VISITED) {
		linkedId = view === 'requests' ? id : null
		history.replaceState(VISITED, '')
	} else if (id !== linkedId) linkedId = null
}

function pinOpenedLink() {
	const {records, boot} = store.state
	const summary = records.find(({id}) => id === linkedId)
	if (linkedId === null || summary === undefined) return
	linkedId = null
	shelf.retry(summary.id)
	if (summary.boot === boot) void pinOpened(context, summary)
}

function followLink(event) {
	const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null
	const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
	if (link === null || !isPlain || event.defaultPrevented) return
	event.preventDefault()
	go(parseAddress(link.getAttribute('href') ?? ''))
}

function handleNavigation() {
	address = parseAddress(location.hash)
	if (!isKnownAddress(location.hash)) toast(\`There is no view at "\${location.hash}"; this is \${capitalize(address.view)}\`)
	filters.set(address.view, {...address, id: null, tab: ''})
	noteOpenedLink()
	render()
}

const filters = new Map()

function filteredView(view) {
	return filters.get(view) ?? {view}
}

function render() {
	pinOpenedLink()
	if (view === null || viewName !== address.view) showView(address.view)
	const routes = shelf.routes()
	shell.update(store.state, address, {routes: routes.kind === 'ready' ? routes.value.routes.length : null, filteredView})
	view?.update(store.state, address)
}

let missingText = 'Reading the view …'

function reportMissingScript() {
	missingText = 'A part of the page could not be loaded. Reload the page.'
	toast(missingText)
	render()
}

function showView(name) {
	const isFirst = view === null
	view?.dispose?.()
	const NextView = name === 'requests' ? RequestsView : context.secondScript?.views[name]
	view = NextView === undefined ? null : new NextView(context)
	viewName = name
	shell.main.replaceChildren(view?.element ?? emptyState(missingText))
	if (!isFirst) shell.main.focus({preventScroll: true})
}

function pause() {
	store.update(togglePause)
	say(store.state.paused ? 'Paused. What comes meanwhile is kept.' : 'Live again.')
}

function nextTheme() {
	const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? 'system'
	setTheme(next)
	shell.showTheme(next)
	say(\`Theme: \${next}\`)
}

const COMMANDS = {palette, help, theme: nextTheme, pause, clear: () => void clearAll(context), file: chooseFile}

function runCommand(command) {
	const name = command.startsWith('view-') ? VIEWS[Number(command.slice('view-'.length))] : undefined
	if (name !== undefined) go(filteredView(name))
	else if (COMMANDS[command] !== undefined) COMMANDS[command]?.()
	else return view?.command?.(command) ?? false
	return true
}

function handleKey(event) {
	const target = event.target instanceof Element ? event.target : document.body
	if (event.isComposing || event.defaultPrevented || isDialogOpen()) return
	const pressed = {
		key: event.key,
		ctrl: event.ctrlKey || event.metaKey,
		alt: event.altKey,
		isTyping: target.matches('input:not([type="checkbox"]), textarea, select'),
		isOnControl: target.matches('a, button, summary, input, [role="tab"], [role="group"]'),
		isOnPanel: target.matches('[tabindex="0"]') && target.scrollHeight > target.clientHeight,
	}
	const command = findCommand(pressed, areKeysEnabled())
	if (command !== null && runCommand(command)) event.preventDefault()
}

function start() {
	showTheme()
	const skip = event => {
		event.preventDefault()
		shell.main.focus()
	}
	const skipLink = h('a', {class: 'skip btn primary', href: '#main', on: {click: skip}}, 'Skip to content')
	document.body.replaceChildren(skipLink, shell.element, liveRegion)
	addEventListener('hashchange', handleNavigation)
	addEventListener('keydown', handleKey)
	addEventListener('click', followLink)
	document.querySelector('script[src$="views.js"]')?.addEventListener('error', reportMissingScript)
	store.subscribe(render)
	feed.optionalEvents.set(['open'])
	feed.start()
	handleNavigation()
}

function addSecondScript(parts) {
	context.secondScript = parts
	opener = new parts.FileOpener(context)
	document.body.append(opener.target)
	opener.listen()
	render()
}

start()

export {
	ApiError,
	HEAT_BANDS,
	HEAT_RANGE,
	MAX_POINTS,
	PHASES,
	SAFE_METHODS,
	SENDER_HEADERS,
	SENDING,
	SHORTCUTS,
	TRIAL,
	addSecondScript,
	api,
	append,
	applyFile,
	areKeysEnabled,
	areaBelow,
	areaBetween,
	authorizationFor,
	bandStart,
	basicCredentials,
	busyShare,
	button,
	bytesView,
	canSendHeader,
	candidatesFor,
	card,
	chart,
	clamp,
	clock,
	compactText,
	compareReplay,
	compareSummaries,
	computeFigures,
	confirmSend,
	copyText,
	countBands,
	countHeatColumns,
	credentialKey,
	dialogContent,
	durationText,
	earlierRuns,
	emptyMessage,
	emptyState,
	enableKeys,
	factPairs,
	failingRequests,
	fileBoot,
	fill,
	findBand,
	findOriginal,
	findReplay,
	formatAddress,
	formatBytes,
	formatCount,
	gridLine,
	groupBy,
	groupQueries,
	h,
	hasCredentials,
	headerValue,
	heatColumns,
	icon,
	iconButton,
	int,
	isDialogOpen,
	isJson,
	isJsonMediaType,
	isOfFile,
	isSame,
	isSuccess,
	keepFocus,
	linear,
	listOrEmpty,
	logLine,
	logTicks,
	logarithmic,
	mergeCounts,
	methodMark,
	ms,
	niceTicks,
	numberOr,
	objectOrEmpty,
	openDialog,
	pageElement,
	paintEmpty,
	pairs,
	paletteEntries,
	paramList,
	parseHeaders,
	parseJson,
	parseList,
	parseRecord,
	pathThrough,
	percent,
	placeChildren,
	placeMark,
	placeText,
	quantile,
	querySpan,
	rate,
	readBasic,
	readCredential,
	resolveSchema,
	s,
	say,
	schemeCredentials,
	searchField,
	searchPalette,
	secondaryText,
	section,
	sendTry,
	serverNow,
	setAttribute,
	sortGroups,
	span,
	statusMark,
	stringOrEmpty,
	sum,
	summarizePoints,
	summarizeQueries,
	table,
	textButton,
	textOr,
	textView,
	tickLabel,
	timeAxis,
	timeLabels,
	toCurl,
	toSendable,
	toast,
	trackIncidents,
	waterfallBar,
	wholeText,
	whyNotReplayable,
	worstEpisode,
	writeCredential,
}
`

/** Second script of the page: the other views. */
export const VIEWS_SCRIPT: string = `import {
	h,
	pageElement,
	api,
	fill,
	ApiError,
	emptyState,
	factPairs,
	card,
	icon,
	isDialogOpen,
	SHORTCUTS,
	enableKeys,
	areKeysEnabled,
	openDialog,
	toast,
	formatCount,
	textButton,
	dialogContent,
	SENDING,
	whyNotReplayable,
	hasCredentials,
	sendTry,
	toSendable,
	SAFE_METHODS,
	failingRequests,
	earlierRuns,
	button,
	keepFocus,
	findReplay,
	methodMark,
	formatAddress,
	secondaryText,
	compareReplay,
	table as table$1,
	clock,
	ms,
	statusMark,
	s,
	pathThrough,
	areaBelow,
	trackIncidents,
	isSame,
	serverNow,
	span,
	int,
	searchField,
	logLine,
	objectOrEmpty,
	stringOrEmpty,
	listOrEmpty,
	numberOr,
	PHASES,
	parseList,
	textOr,
	formatBytes,
	isJson,
	parseRecord,
	fileBoot,
	applyFile,
	paletteEntries,
	clamp,
	searchPalette,
	setAttribute,
	compactText,
	mergeCounts,
	countBands,
	quantile,
	rate,
	bandStart,
	chart,
	HEAT_BANDS,
	paintEmpty,
	say,
	logarithmic,
	HEAT_RANGE,
	logTicks,
	tickLabel,
	timeAxis,
	timeLabels,
	sum,
	findBand,
	MAX_POINTS,
	linear,
	gridLine,
	areaBetween,
	computeFigures,
	niceTicks,
	heatColumns,
	countHeatColumns,
	worstEpisode,
	summarizePoints,
	SENDER_HEADERS,
	canSendHeader,
	parseJson as parseJson$1,
	resolveSchema,
	append,
	emptyMessage,
	section,
	placeMark,
	pairs,
	groupBy,
	placeChildren,
	bytesView,
	textView,
	isJsonMediaType,
	waterfallBar,
	credentialKey,
	authorizationFor,
	readCredential,
	writeCredential,
	headerValue,
	readBasic,
	basicCredentials,
	parseHeaders,
	schemeCredentials,
	copyText,
	toCurl,
	isSuccess,
	isOfFile,
	confirmSend,
	TRIAL,
	candidatesFor,
	findOriginal,
	compareSummaries,
	summarizeQueries,
	groupQueries,
	querySpan,
	sortGroups,
	busyShare,
	durationText,
	wholeText,
	percent,
	iconButton,
	paramList,
	placeText,
	addSecondScript,
} from './page.js'

// ui/views/health.ts

const REFRESH_MS$3 = 2_000

class HealthView {
	element
	#cards = h('div', null)
	#timer
	#shown = ''

	constructor() {
		this.element = pageElement('Health', this.#cards)
		this.#timer = setInterval(() => void this.#read(), REFRESH_MS$3)
		void this.#read()
	}

	update() {}

	dispose() {
		clearInterval(this.#timer)
	}

	async #read() {
		try {
			const health = await api.health()
			const text = JSON.stringify(health)
			if (text !== this.#shown) fill(this.#cards, healthCards(health))
			this.#shown = text
		} catch (error) {
			this.#shown = ''
			if (error instanceof ApiError) fill(this.#cards, emptyState(\`Health could not be read. \${error.message}.\`))
		}
	}
}

function healthCards(health) {
	return h(
		'div',
		{class: 'cards'},
		padCard('Who can see this page', null, guards(health)),
		padCard('Process', null, factPairs(health.process)),
		padCard('Console cost', 'measured in this process', factPairs(health.cost)),
		padCard('Configuration', 'as the app sees it', factPairs(health.options, 'wire')),
	)
}

function padCard(title, note, content) {
	return card('w6', title, note, h('div', {class: 'pad'}, content))
}

function guards({guards}) {
	const items = guards.map(({ok, title, detail}) =>
		h('li', null, h('span', {class: ok ? 'y' : 'w'}, icon(ok ? 'check' : 'problems'), h('span', {class: 'vh'}, ok ? 'good: ' : 'note: ')), h('div', null, title, h('p', null, detail))),
	)
	return h('ul', {class: 'chk'}, items)
}

// ui/views/help.ts

function openHelp() {
	if (isDialogOpen()) return
	const rows = SHORTCUTS.map(([text, ...keys]) => {
		return h(
			'div',
			null,
			h('dt', null, text),
			h(
				'dd',
				null,
				keys.map(key => h('kbd', null, key)),
			),
		)
	})
	const box = h('input', {type: 'checkbox', checked: areKeysEnabled(), on: {change: () => enableKeys(box.checked)}})
	const label = h('label', null, box, 'Single-key shortcuts; Ctrl K and Esc always work')
	openDialog('Keyboard shortcuts', '', h('div', {class: 'keys'}, h('h2', null, 'Keyboard shortcuts'), h('dl', null, rows), label))
}

// ui/pure/trend.ts

const MINUTE_MS = 60_000
const MIN_MINUTES = 3

function selectTrend(trend, age) {
	const minutes = Math.ceil(age / MINUTE_MS)
	return minutes < MIN_MINUTES ? [] : trend.slice(-minutes)
}

// ui/views/rerun.ts

const TIMEOUT_MS = 30_000
const MAX_LISTED = 6

let current = {isRunning: false, reruns: []}

function readReruns() {
	return current
}

async function rerunAll(context, requests) {
	if (current.isRunning) return
	const chosen = await chooseRequests(requests)
	if (chosen.length === 0) return
	const show = next => {
		current = next
		context.store.touch()
	}
	show({isRunning: true, reruns: []})
	for (const before of chosen) {
		const rerun = await rerunOne(context, before)
		if (rerun === null) break
		show({isRunning: true, reruns: [...current.reruns, rerun]})
	}
	show({...current, isRunning: false})
	toast(\`Replayed \${formatCount(current.reruns.filter(({response}) => response !== null).length, 'request')}\`)
}

async function rerunOne(context, before) {
	try {
		const record = await context.shelf.load(before.id)
		const missing = whyNotReplayable(record)
		if (missing !== null) return {before, response: null, note: missing}
		if (!(await hasCredentials(record))) return null
		const signal = AbortSignal.timeout(TIMEOUT_MS)
		const response = await sendTry(toSendable(record, location.origin), before.id, signal)
		return {before, response, note: ''}
	} catch (error) {
		return {before, response: null, note: error instanceof Error ? error.message : String(error)}
	}
}

function chooseRequests(requests) {
	const safe = requests.filter(isSafe)
	const unsafe = requests.filter(request => !isSafe(request))
	if (unsafe.length === 0) return Promise.resolve(requests)
	return new Promise(resolve => {
		const close = value => () => dialog.close(value)
		const targets = unsafe.map(request => \`\${request['http.request.method']} \${request['url.path']}\`)
		const listed = [...new Set(targets)].slice(0, MAX_LISTED).map(target => h('li', {class: 'mono'}, target))
		const only = safe.length === 0 ? null : textButton(\`Only the \${safe.length} that read\`, close('safe'))
		const inside = dialogContent(
			\`\${formatCount(unsafe.length, 'request')} can change data\`,
			[h('ul', null, listed), h('p', null, SENDING)],
			textButton(\`Send all \${requests.length}\`, close('all'), 'btn primary'),
			only,
			textButton('Cancel', close('')),
		)
		const dialog = openDialog('Replay requests', '', inside)
		dialog.addEventListener('close', () => {
			if (dialog.returnValue === 'all') resolve(requests)
			else resolve(dialog.returnValue === 'safe' ? safe : [])
		})
	})
}

function isSafe(request) {
	const method = request['http.request.method']
	return method !== 'OPTIONS' && SAFE_METHODS.has(method)
}

// ui/views/run-report.ts

const RESULTS = {fixed: ['fixed', 'ok'], same: ['still there', 'bad'], other: ['fails in another way', 'warn']}

class RunReport {
	element = h('section', {class: 'runs', 'aria-label': 'Since the restart', hidden: true})
	#context
	#shown = ''

	constructor(context) {
		this.#context = context
	}

	update(state, incidents) {
		const {reruns, isRunning} = readReruns()
		const failing = failingRequests(state)
		const isHidden = earlierRuns(state).length === 0 && failing.length === 0 && reruns.length === 0
		this.element.hidden = isHidden
		if (isHidden) return
		const text = reportText(state, incidents)
		const rows = reruns.map(rerun => resultRow(rerun, state))
		const json = JSON.stringify([text, isRunning, failing.length, rows.map(({key}) => key)])
		if (json === this.#shown) return
		this.#shown = json
		const replay = button('replay', \`Replay the \${formatCount(failing.length, 'failing request')}\`, {
			class: 'btn primary',
			disabled: isRunning || failing.length === 0,
			on: {click: () => void rerunAll(this.#context, failingRequests(this.#context.store.state))},
		})
		const results = rows.length > 0 && resultTable(rows)
		keepFocus(this.element, () => fill(this.element, h('div', {class: 'line'}, h('p', null, text), replay), results))
	}
}

function reportText(state, incidents) {
	const counts = new Map()
	for (const {standing} of incidents) {
		if (standing !== null) counts.set(standing.kind, (counts.get(standing.kind) ?? 0) + 1)
	}
	const parts = ['new', 'still', 'unrequested', 'gone'].flatMap(kind => {
		const count = counts.get(kind)
		return count === undefined ? [] : [\`\${count} \${STANDINGS[kind]}\`]
	})
	const restart = \`Since the restart of \${timeOfDay(state.boots.get(state.boot) ?? 0)}\`
	return \`\${restart}: \${parts.length === 0 ? 'no problems' : parts.join(', ')}.\`
}

const STANDINGS = {gone: 'gone', unrequested: 'not requested since', still: 'still there', new: 'new'}

function standingText(standing) {
	return standing.kind === 'gone' ? \`gone since the restart of \${timeOfDay(standing.since)}\` : STANDINGS[standing.kind]
}

function timeOfDay(time) {
	return clock(time)[0].slice(0, 5)
}

function resultTable(rows) {
	const heads = ['Request', 'Before', 'After', 'Result', '']
	const results = table$1(
		heads,
		rows.map(({cells}) => cells),
	)
	return h('div', {class: 'results'}, results)
}

function resultRow({before, response, note}, state) {
	const after = findReplay(state, before.id)
	const request = [methodMark(before['http.request.method']), ' ', before['url.path']]
	const original = [h('a', {class: 'link', href: formatAddress({id: before.id})}, request), timing(before['http.response.status_code'], before['dev.duration'])]
	if (response === null) return {key: \`\${before.id} \${note}\`, cells: [...original, secondaryText(note), '', '']}
	if (after === null) {
		const cells = [...original, timing(response.status, response.duration), secondaryText('…'), '']
		return {key: \`\${before.id} \${response.status}\`, cells}
	}
	const [text, className] = RESULTS[compareReplay(before, after)]
	const open = timing(after['http.response.status_code'], after['dev.duration'], formatAddress({id: after.id}))
	const compare = h('a', {class: 'link', href: formatAddress({id: after.id, tab: 'compare'})}, 'Compare')
	return {key: \`\${before.id} \${after.id}\`, cells: [...original, open, h('span', {class: \`tag \${className}\`}, text), compare]}
}

function timing(status, duration, href = null) {
	const text = ms(duration)
	return h('span', {class: 'num'}, statusMark(status), ' ', href === null ? text : h('a', {class: 'link', href}, text))
}

// ui/views/sparkline.ts

const WIDTH = 120
const HEIGHT = 22

function sparkline(values, color) {
	const highest = Math.max(...values.map(value => value ?? 0), 1e-9) * 1.08
	const step = WIDTH / Math.max(1, values.length - 1)
	const points = values.flatMap((value, index) => (value === null ? [] : [[index * step, HEIGHT - 1.5 - (value / highest) * (HEIGHT - 3)]]))
	const line = {fill: 'none', stroke: \`var(\${color})\`, 'stroke-width': 1.4, 'vector-effect': 'non-scaling-stroke'}
	return s(
		'svg',
		{class: 'spark', viewBox: \`0 0 \${WIDTH} \${HEIGHT}\`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
		s('path', {d: areaBelow(points, HEIGHT), fill: \`var(\${color})\`, opacity: 0.13}),
		s('path', {d: pathThrough(points), ...line}),
	)
}

// ui/views/incidents.ts

const LOOKS = {
	exception: ['bad', 'problems'],
	mismatch: ['bad', 'routes'],
	version: ['warn', 'routes'],
	silent: ['bad', 'clock'],
	slow: ['warn', 'clock'],
	invalid: ['warn', 'edit'],
	stall: ['warn', 'performance'],
	large: ['warn', 'download'],
	burst: ['warn', 'replay'],
	repeated: ['note', 'database'],
}

const SEVERITIES = ['bad', 'warn', 'note']

const REFRESH_MS$2 = 5_000

function getLook({kind}) {
	return LOOKS[kind] ?? LOOKS.slow
}

class ProblemsView {
	element
	#context
	#report
	#list = h('ul', {class: 'prob'})
	#empty
	#shown = []
	#drawn = 0
	#hadEarlierRun = false

	constructor(context) {
		this.#context = context
		this.#report = new RunReport(context)
		this.#empty = emptyState('No problems found. Errors, slow endpoints, invalid input and repeated calls appear here.')
		this.element = pageElement('Problems', this.#report.element, this.#list, this.#empty)
		const updateNext = () => requestAnimationFrame(() => this.update(this.#context.store.state))
		this.#list.addEventListener('pointerleave', updateNext)
		this.#list.addEventListener('focusout', updateNext)
	}

	update(state) {
		const incidents = trackIncidents(state)
		this.#report.update(state, incidents)
		this.#empty.hidden = incidents.length > 0 || state.boot === ''
		this.#readFigures(state)
		if (this.#list.matches(':hover') || this.#list.contains(document.activeElement)) return this.#refresh(incidents)
		const sorted = incidents.toSorted((a, b) => rank(a) - rank(b) || b.incident.last - a.incident.last)
		const isStale = Date.now() - this.#drawn > REFRESH_MS$2
		if (!isStale && isSame(sorted.map(drawnPart), this.#shown.map(drawnPart))) return
		this.#drawn = Date.now()
		this.#shown = sorted
		fill(
			this.#list,
			sorted.map(tracked => this.#view(tracked)),
		)
	}

	#view(tracked) {
		return problemView(tracked, this.#context.store.state.processes[0]?.started ?? 0)
	}

	#readFigures({runs}) {
		const hasEarlierRun = runs.length > 0
		if (hasEarlierRun && !this.#hadEarlierRun) void this.#context.feed.refreshMetrics()
		this.#hadEarlierRun = hasEarlierRun
	}

	#refresh(incidents) {
		const listed = this.#shown.map((before, index) => {
			const next = incidents.find(({incident}) => incident.key === before.incident.key)
			if (next === undefined || drawnPart(next) === drawnPart(before)) return before
			const element = this.#list.children[index]
			if (element !== undefined) keepFocus(element, () => element.replaceChildren(...this.#view(next).childNodes))
			return next
		})
		const listedKeys = new Set(listed.map(({incident}) => incident.key))
		const fresh = incidents.filter(({incident}) => !listedKeys.has(incident.key))
		this.#list.append(...fresh.map(tracked => this.#view(tracked)))
		this.#shown = [...listed, ...fresh]
	}
}

function rank({incident, standing}) {
	return SEVERITIES.indexOf(getLook(incident)[0]) + (standing?.kind === 'gone' ? SEVERITIES.length : 0)
}

function drawnPart({incident, standing, before, after}) {
	const {key, count, last, detail} = incident
	return JSON.stringify([key, count, last, detail, standing, before, after])
}

function problemView({incident: problem, standing, before, after}, started) {
	const [className, name] = getLook(problem)
	const title = problem.title.map((text, index) => (index % 2 === 1 ? h('code', null, text) : text))
	const now = serverNow()
	const values = selectTrend(problem.trend, now - Math.min(started, problem.first))
	const times = [\`first \${span(now - problem.first)} ago\`, \`last \${span(now - problem.last)} ago\`]
	const unit = problem.count === 1 ? problem.unit.replace(/s$/, '') : problem.unit
	const facts = [...(problem.count > 1 ? times : times.slice(1)), ...problem.facts]
	const state = standing && h('span', {class: \`tag \${STANDING_CLASSES[standing.kind]}\`}, standingText(standing))
	const medians = standing === null ? null : medianText(before, after)
	return h(
		'li',
		{class: \`pb \${className}\${standing?.kind === 'gone' ? ' gone' : ''}\`},
		h('span', {class: 'ic'}, icon(name)),
		h('div', null, h('h3', null, title, ' ', state), h('p', null, problem.detail)),
		values.length === 0 ? h('span', {class: 'spark'}) : sparkline(values, '--c'),
		h('div', {class: 'n'}, h('b', null, int(problem.count)), h('span', null, unit)),
		h(
			'div',
			{class: 'meta'},
			[...facts, ...(medians === null ? [] : [medians])].map(text => h('span', null, text)),
			requestsLink(problem, standing),
		),
	)
}

const STANDING_CLASSES = {gone: 'ok', unrequested: '', still: 'bad', new: 'info'}

function medianText(before, after) {
	if (before === null) return after === null ? null : \`median \${ms(after)}\`
	return \`median \${ms(before)} before, \${after === null ? 'no requests after' : \`\${ms(after)} after\`}\`
}

function requestsLink({query, sample}, standing) {
	const isEarlier = standing?.kind === 'gone' || standing?.kind === 'unrequested'
	if (isEarlier) return sample === null ? null : h('a', {class: 'link', href: formatAddress({id: sample})}, 'Show the request')
	return query === '' ? null : h('a', {class: 'link', href: formatAddress({q: query})}, 'Show requests')
}

// ui/pure/log-filter.ts

const LEVELS = [
	['all', 'all'],
	['debug', 'debug and up'],
	['info', 'info and up'],
	['warn', 'warn and up'],
	['error', 'error and up'],
]

const ORDER = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

function matchesLogFilter(line, request, filter) {
	if (ORDER.indexOf(line.level) < ORDER.indexOf(filter.level)) return false
	if (filter.text === '') return true
	const place = request === undefined ? '' : \`\${request['code.function.name'] ?? ''} \${request['url.path']} \${request['dev.requestId'] ?? ''}\`
	const fields = line.fields === null ? '' : JSON.stringify(line.fields)
	return \`\${line.message} \${fields} \${place} \${line.request ?? ''}\`.toLowerCase().includes(filter.text)
}

// ui/views/logs.ts

const PAGE = 300
const TOP$1 = 4

class LogsView {
	element
	#context
	#input
	#focus
	#levels
	#list = h('ol', {'aria-label': 'Log lines, newest first'})
	#box = h('div', {class: 'lg', tabindex: '0', role: 'region', 'aria-label': 'Log'}, this.#list)
	#more = h('div', {class: 'empty'})
	#level = 'all'
	#q = ''
	#count = PAGE
	#drawn = []
	#isWaiting = false

	constructor(context) {
		this.#context = context
		const input = () => this.#go({q: this.#input.value})
		const field = searchField('Filter logs', 'message, field, handler, or path', {input})
		this.#input = field.input
		this.#focus = field.focus
		this.#levels = new Map(LEVELS.map(([level, label]) => [level, this.#levelButton(level, label)]))
		const levels = h('div', {class: 'seg', role: 'group', 'aria-label': 'Level'}, [...this.#levels.values()])
		this.#box.append(this.#more)
		this.#box.addEventListener('scroll', () => this.#handleScroll(), {passive: true})
		this.element = h('div', {class: 'main-in'}, h('h2', {class: 'vh'}, 'Logs'), h('div', {class: 'bar'}, field.element, levels), this.#box)
		context.feed.optionalEvents.set(['log', 'open'])
		void context.feed.refresh()
	}

	update(state, {q, level}) {
		const choice = LEVELS.find(([name]) => name === level)?.[0] ?? 'all'
		if (this.#input.value !== q) this.#input.value = q
		if (choice !== this.#level || q !== this.#q) {
			this.#level = choice
			this.#q = q
			this.#redraw()
		}
		this.#isWaiting = this.#box.scrollTop > TOP$1
		if (!this.#isWaiting) this.#draw(state)
	}

	command(command) {
		if (command !== 'filter') return false
		this.#focus()
		return true
	}

	dispose() {
		this.#context.feed.optionalEvents.set(['open'])
	}

	#levelButton(level, label) {
		return textButton(label, () => this.#go({level: level === 'all' ? '' : level}), '')
	}

	#go(to) {
		this.#context.go({...this.#context.address(), ...to}, 'replace')
	}

	#handleScroll() {
		if (this.#isWaiting && this.#box.scrollTop <= TOP$1) this.#draw(this.#context.store.state)
	}

	#redraw() {
		this.#count = PAGE
		this.#draw(this.#context.store.state)
	}

	#draw(state) {
		const text = this.#q.trim().toLowerCase()
		const next = [state.logs, state.records, text, this.#level, this.#count]
		if (isSame(next, this.#drawn)) return
		this.#drawn = next
		for (const [level, element] of this.#levels) element.setAttribute('aria-pressed', String(level === this.#level))
		const byId = new Map(state.records.map(record => [record.id, record]))
		const findRequest = line => (line.request === null ? undefined : byId.get(line.request))
		const matches = state.logs.filter(line => matchesLogFilter(line, findRequest(line), {level: this.#level, text}))
		fill(
			this.#list,
			matches.slice(0, this.#count).map(line => lineView(line, findRequest(line))),
		)
		fill(this.#more, this.#footer(matches.length, state.logs.length))
	}

	#footer(found, total) {
		if (total === 0) return emptyState('No log lines yet. What your app logs appears here, each line with its request.')
		if (found === 0) return emptyState('No line matches.')
		if (found <= this.#count) return null
		const click = () => {
			this.#count += PAGE
			this.#draw(this.#context.store.state)
		}
		return textButton(\`Show more of \${found} lines\`, click)
	}
}

function lineView(line, request) {
	const time = clock(line.time).join('')
	if (line.request === null) return logLine(line, time, null)
	const href = formatAddress({id: line.request, tab: 'logs'})
	const text = request === undefined ? line.request : \`\${request['http.request.method']} \${request['http.route'] ?? request['url.path']}\`
	return logLine(line, time, h('a', {href, title: 'Open the request of this line'}, text))
}

// wire/har-marks.ts

const CUT_COMMENT = 'Only the beginning was kept'

// ui/pure/parse-har.ts

const MAX_HEX_BYTES = 64
const URL_PARTS = /^(http|ws)(s?):\\/\\/([^/?#]*)([^?#]*)(?:\\?([^#]*))?/i
const TEXT_TYPE = /^text\\/|[/+](?:json|xml|javascript|ecmascript|x-www-form-urlencoded|graphql|yaml)\\b/i
const FORM_TYPE = /^application\\/x-www-form-urlencoded\\b/i
const TIMINGS = ['blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive']

function parseHarEntry(value) {
	const entry = objectOrEmpty(value)
	const [request, response] = [objectOrEmpty(entry['request']), objectOrEmpty(entry['response'])]
	const [, , secure = '', host = '', path = '', query = ''] = URL_PARTS.exec(stringOrEmpty(request['url'])) ?? []
	const time = Date.parse(stringOrEmpty(entry['startedDateTime']))
	if (host === '' || Number.isNaN(time)) return null
	const scheme = secure === '' ? 'http' : 'https'
	const requestMessage = parseMessage(request, parsePostData(request['postData']))
	const responseMessage = parseMessage(response, parseContent(response['content']))
	const status = parseStatus(response['status'])
	const hasResponse = status !== 0
	return {
		...EMPTY_RECORD,
		time,
		'http.request.method': stringOrEmpty(request['method']) || 'GET',
		'url.scheme': scheme,
		'server.address': host,
		'url.path': path || '/',
		'url.query': query,
		'http.response.status_code': status,
		'http.request.body.size': parseSize(request, requestMessage.body),
		'http.response.body.size': parseSize(response, responseMessage.body),
		'dev.duration': parseDuration(entry),
		'dev.phases': parsePhases(entry['_phases']),
		'dev.requestId': findHeader(responseMessage.headers, 'x-request-id'),
		'dev.flags': hasResponse ? [] : ['aborted'],
		'user_agent.original': findHeader(requestMessage.headers, 'user-agent'),
		'network.protocol.version': parseVersion(request['httpVersion']),
		request: requestMessage,
		response: responseMessage,
		aborted: !hasResponse,
		callOuts: describeFailure(response),
		about: describeEntry(entry, \`\${scheme}://\${host}\`),
	}
}

const EMPTY_RECORD = {
	id: '',
	boot: '',
	seq: 0,
	'http.route': null,
	'code.function.name': null,
	'code.file.path': null,
	'code.line.number': null,
	'process.pid': 0,
	'client.address': null,
	'error.type': null,
	'dev.db': 0,
	'dev.queries': 0,
	'dev.logs': 0,
	'dev.issues': 0,
	'dev.version': null,
	'dev.replayOf': null,
	'dev.pinned': false,
	'dev.traceId': null,
	params: {},
	decorators: [],
	calls: [],
	callsMore: 0,
	queries: [],
	queriesMore: 0,
	repeated: [],
	logs: [],
	issues: [],
	vendor: null,
	error: null,
	version: null,
}

function describeFailure({_error: error}) {
	if (typeof error !== 'string' || error === '') return []
	return [{kind: 'bad', title: ['No response: ', {code: error}], text: []}]
}

function parseStatus(value) {
	const status = numberOr(value, 0)
	return Number.isInteger(status) && status < 1_000 ? status : 0
}

function parseDuration(entry) {
	const timings = objectOrEmpty(entry['timings'])
	const sum = TIMINGS.reduce((total, name) => total + (name === 'ssl' ? 0 : numberOr(timings[name], 0)), 0)
	return numberOr(entry['time'], sum)
}

function parsePhases(value) {
	const phases = objectOrEmpty(value)
	return PHASES.some(phase => phase in phases) ? PHASES.map(phase => numberOr(phases[phase], 0)) : []
}

function parseVersion(value) {
	const [, version = '1.1'] = /^(?:http\\/|h)(\\d(?:\\.\\d)?)/i.exec(stringOrEmpty(value)) ?? []
	return version
}

function parseMessage(message, body) {
	const headers = parsePairs(message['headers']).filter(([name]) => !name.startsWith(':'))
	return {headers, body}
}

function parsePairs(value) {
	return parseList(value, pair => {
		const {name, value: text} = objectOrEmpty(pair)
		return typeof name !== 'string' || name === '' ? null : [name, stringOrEmpty(text)]
	})
}

function parseSize(message, body) {
	return numberOr(message['bodySize'], body?.size ?? 0)
}

function parsePostData(value) {
	const data = objectOrEmpty(value)
	const params = listOrEmpty(data['params'])
	const text = stringOrEmpty(data['text'])
	if (text === '' && params.length > 0) return parseForm(data, params)
	return text === '' && typeof data['comment'] !== 'string' ? null : createBody(data, text)
}

function parseForm(data, params) {
	const fields = parsePairs(params)
	if (FORM_TYPE.test(stringOrEmpty(data['mimeType']))) return createBody(data, fields.map(field => field.join('=')).join('&'))
	const names = fields.map(([name]) => name).join(', ')
	return {...createBody(data, ''), text: null, omitted: \`The file has only the names of the parts: \${names}\`}
}

function parseContent(value) {
	const content = objectOrEmpty(value)
	const {text, encoding} = content
	const size = numberOr(content['size'], 0)
	if (typeof text === 'string' && text !== '') return encoding === 'base64' ? decodeBody(content, text) : createBody(content, text)
	if (typeof content['comment'] === 'string') return {...createBody(content, ''), size}
	return size === 0 ? null : {...createBody(content, ''), size, text: null, omitted: 'The file does not contain this body'}
}

function createBody(source, text) {
	const comment = textOr(source['comment'], null)
	const isOmitted = text === '' && comment !== null && comment !== CUT_COMMENT
	return {
		type: textOr(source['mimeType'], '') || null,
		size: numberOr(source['size'], new TextEncoder().encode(text).length),
		text: isOmitted ? null : text,
		hex: null,
		truncated: comment === CUT_COMMENT,
		omitted: isOmitted ? comment : null,
	}
}

function decodeBody(content, text) {
	const body = createBody(content, text)
	const bytes = decodeBase64(text)
	if (bytes === null) return {...body, text: null, omitted: 'The body in the file is not valid base64'}
	const sized = {...body, size: numberOr(content['size'], bytes.length)}
	const decoded = TEXT_TYPE.test(body.type ?? '') ? decodeText(bytes) : null
	return decoded === null ? {...sized, text: null, hex: toHex(bytes.subarray(0, MAX_HEX_BYTES))} : {...sized, text: decoded}
}

function decodeBase64(text) {
	try {
		return Uint8Array.from(atob(text), character => character.charCodeAt(0))
	} catch {
		return null
	}
}

function decodeText(bytes) {
	try {
		return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
	} catch {
		return null
	}
}

function toHex(bytes) {
	return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

function findHeader(headers, name) {
	return headers.find(([header]) => header.toLowerCase() === name)?.[1] ?? null
}

function describeEntry(entry, server) {
	const timings = objectOrEmpty(entry['timings'])
	const parts = TIMINGS.flatMap(name => {
		const time = numberOr(timings[name], null)
		return time === null ? [] : [\`\${name} \`, {ms: time}, ', ']
	})
	const address = stringOrEmpty(entry['serverIPAddress'])
	const comment = stringOrEmpty(entry['comment'])
	return [
		['Server', [{code: server}]],
		['Time', [{code: stringOrEmpty(entry['startedDateTime'])}]],
		...(address === '' ? [] : [['Address', [{code: address}]]]),
		...(parts.length === 0 ? [] : [['Timings', parts.slice(0, -1)]]),
		...(comment === '' ? [] : [['Comment', [comment]]]),
	]
}

// ui/pure/record-file.ts

const MAX_FILE_BYTES = 50_000_000

function refuseFiles(files) {
	const [file, ...others] = files
	if (file === undefined || others.length > 0) return 'Open one file at a time.'
	if (file.size === 0) return 'The file is empty, or it is a folder. Export the requests again.'
	if (file.size <= MAX_FILE_BYTES) return null
	return \`The file has \${formatBytes(file.size)}, and the maximum is \${formatBytes(MAX_FILE_BYTES)}. Export fewer requests.\`
}

function parseRecordFile(text, number) {
	const content = parseJson(text)
	if (content === undefined) return 'The file is not JSON. Open a HAR file or a JSON record of the console.'
	if (isJson(content) && 'log' in content) return parseHar(content['log'], number)
	const items = isJson(content) && 'records' in content ? content['records'] : content
	const parsedItems = parseItems(Array.isArray(items) ? items : [items], parseStoredRecord)
	if (parsedItems.records.length > 0) return createFile(parsedItems, number)
	return 'The file contains neither a HAR archive nor a record of the console. Open another file.'
}

function parseHar(log, number) {
	const {entries} = objectOrEmpty(log)
	if (!Array.isArray(entries)) return 'The HAR file has no list "log.entries". Export it again.'
	if (entries.length === 0) return 'The HAR file contains no requests. Export it again.'
	const parsedItems = parseItems(entries, parseHarEntry)
	if (parsedItems.records.length > 0) return createFile(parsedItems, number)
	return 'No entry of the HAR file has both an HTTP URL and a time. Export it again.'
}

function parseJson(text) {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}

function parseItems(items, parse) {
	const newest = items.slice(-2e3)
	const records = newest.flatMap(item => parse(item) ?? [])
	return {records, invalid: newest.length - records.length, beyond: items.length - newest.length}
}

function parseStoredRecord(value) {
	try {
		const record = parseRecord(value)
		JSON.stringify(record?.logs)
		return record
	} catch {
		return null
	}
}

function createFile({records, invalid, beyond}, number) {
	const boot = fileBoot(number)
	const sorted = records.toSorted((a, b) => a.time - b.time)
	const ids = new Map(sorted.map(({id}, index) => [id, \`\${boot}-\${index}\`]))
	const numbered = sorted.map((record, seq) => {
		const original = record['dev.replayOf']
		const replayOf = original === null ? null : (ids.get(original) ?? null)
		return {...record, id: \`\${boot}-\${seq}\`, boot, seq, 'dev.replayOf': replayOf, 'dev.pinned': false}
	})
	return {records: numbered.toReversed(), note: describeRest(invalid, beyond)}
}

function describeRest(incomplete, older) {
	const counts = [incomplete === 0 ? '' : formatCount(incomplete, 'incomplete request'), older === 0 ? '' : formatCount(older, 'older request')]
	const text = counts.filter(count => count !== '').join(', ')
	return text === '' ? '' : \`Not listed: \${text}.\`
}

// ui/views/open-file.ts

const DRAG_END_MS = 1_000
const TARGET_TEXT = 'Drop a HAR file or a JSON record to open it'

class FileOpener {
	target = h('div', {class: 'drop', hidden: true}, icon('folder'), h('p', null, TARGET_TEXT))
	#context
	#input
	#count = 0
	#dragTimer

	constructor(context) {
		this.#context = context
		const change = () => {
			void this.#open([...(this.#input.files ?? [])])
			this.#input.value = ''
		}
		this.#input = h('input', {type: 'file', accept: '.har,.json,application/json', on: {change}})
	}

	choose() {
		this.#input.click()
	}

	listen() {
		addEventListener('dragover', event => this.#handleDrag(event))
		addEventListener('dragleave', event => {
			if (event.relatedTarget === null) this.#hideTarget()
		})
		addEventListener('drop', event => this.#handleDrop(event))
	}

	#handleDrag(event) {
		this.#hideTarget()
		if (!isForPage(event) || event.dataTransfer === null) return
		event.preventDefault()
		event.dataTransfer.dropEffect = isDialogOpen() ? 'none' : 'copy'
		if (isDialogOpen()) return
		this.target.hidden = false
		this.#dragTimer = setTimeout(() => this.#hideTarget(), DRAG_END_MS)
	}

	#hideTarget() {
		clearTimeout(this.#dragTimer)
		this.target.hidden = true
	}

	#handleDrop(event) {
		this.#hideTarget()
		if (!isForPage(event)) return
		event.preventDefault()
		if (!isDialogOpen()) void this.#open([...(event.dataTransfer?.files ?? [])])
	}

	async #open(files) {
		const [file] = files
		const number = ++this.#count
		const refusal = refuseFiles(files)
		if (file === undefined || refusal !== null) return showFailure(file, refusal ?? '')
		const text = await file.text().catch(() => null)
		if (number !== this.#count) return
		if (text === null) return showFailure(file, 'The browser cannot read it. Open a single file, not a folder.')
		const recordFile = parseRecordFile(text, number)
		if (typeof recordFile === 'string') return showFailure(file, recordFile)
		this.#show(file, number, recordFile)
	}

	#show({name}, number, {records, note}) {
		const {shelf, store, go} = this.#context
		const [only, ...others] = records
		shelf.open(records)
		store.update(state => applyFile(state, name, records, note))
		go({view: 'requests', q: \`id:\${fileBoot(number)}\`, id: others.length === 0 ? (only?.id ?? null) : null})
		toast(\`Opened \${formatCount(records.length, 'request')} from \${name}\`)
	}
}

function isForPage({dataTransfer, target}) {
	const isField = target instanceof Element && target.matches('input[type="file"]')
	return dataTransfer?.types.includes('Files') === true && !isField
}

function showFailure(file, reason) {
	const title = file === undefined ? 'Cannot open a file' : \`Cannot open "\${file.name}"\`
	const close = textButton('Close', () => dialog.close(), 'btn primary')
	const dialog = openDialog(title, '', dialogContent(title, h('p', null, reason), close))
}

// ui/views/palette.ts

const MAX_RESULTS = 9

function openPalette(context) {
	if (isDialogOpen()) return
	const routes = context.shelf.routes()
	const listed = routes.kind === 'ready' ? routes.value.routes : []
	const entries = paletteEntries(listed, context.store.state.records, context.filteredView)
	const list = h('ul', {role: 'listbox', id: 'palette', 'aria-label': 'Found'})
	let matches = []
	let chosen = 0
	const go = entry => {
		if (entry === undefined) return
		dialog.close()
		context.focusedForm = entry.icon === 'routes' ? (entry.address.id ?? null) : null
		context.go(entry.address)
	}
	const draw = () => {
		fill(
			list,
			matches.map((entry, index) => optionView(entry, {index, chosen, go: () => go(entry)})),
		)
		setAttribute(input, 'aria-activedescendant', matches.length === 0 ? null : \`palette-\${chosen}\`)
	}
	const search = () => {
		matches = searchPalette(entries, input.value, MAX_RESULTS)
		chosen = 0
		draw()
	}
	const keydown = event => {
		const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
		if (event.key === 'Enter') go(matches[chosen])
		if (step === undefined) return
		event.preventDefault()
		chosen = clamp(chosen + step, 0, matches.length - 1)
		draw()
	}
	const input = h('input', {
		type: 'text',
		role: 'combobox',
		'aria-expanded': 'true',
		'aria-controls': 'palette',
		'aria-label': 'Search views, routes, and requests',
		placeholder: 'Search views, routes, and requests',
		autocomplete: 'off',
		spellcheck: 'false',
		on: {input: search, keydown},
	})
	const dialog = openDialog('Jump to', 'pal', input, list)
	search()
	input.focus()
}

function optionView({icon: name, text, note}, place) {
	const {index, chosen, go} = place
	return h('li', {role: 'option', id: \`palette-\${index}\`, 'aria-selected': String(index === chosen), on: {click: go}}, icon(name), h('span', null, text), h('small', null, note))
}

// ui/dom/sort-head.ts

function sortHead([key, label, className, isAscending], sorting, choose) {
	const isSorted = sorting.key === key
	const direction = isAscending === (isSorted && sorting.isReversed) ? 'descending' : 'ascending'
	const click = () => choose({key, isReversed: isSorted && !sorting.isReversed})
	const attributes = {scope: 'col', class: className, 'aria-sort': isSorted ? direction : null}
	return h('th', attributes, textButton(label, click, ''))
}

// ui/pure/call-stats.ts

function sortStatements(statements, sort, isReversed = false) {
	const compare = (a, b) => (sort === 'text' ? a.text.localeCompare(b.text) : statementFigure(b, sort) - statementFigure(a, sort))
	return statements.toSorted((a, b) => (isReversed ? -compare(a, b) : compare(a, b)))
}

function statementFigure(statement, sort) {
	return sort === 'mean' ? meanDuration(statement) : (statement[sort] ?? -1)
}

function sortServices(services, sort, isReversed = false) {
	const compare = (a, b) => (sort === 'name' ? a.name.localeCompare(b.name) : b[sort] - a[sort])
	return services.toSorted((a, b) => (isReversed ? -compare(a, b) : compare(a, b)))
}

function meanDuration({total, count}) {
	return count === 0 ? 0 : total / count
}

// ui/views/call-tables.ts

const REFRESH_MS$1 = 2_000

const STATEMENT_COLUMNS = [
	['text', 'Statement', '', true],
	['count', 'Count', '', false],
	['errors', 'Errors', 'opt', false],
	['rows', 'Rows', 'opt', false],
	['mean', 'Mean', 'opt', false],
	['max', 'Max', 'opt2', false],
	['total', 'Total', '', false],
]

const SERVICE_COLUMNS = [
	['name', 'Method', '', true],
	['count', 'Count', '', false],
	['errors', 'Errors', 'opt', false],
	['max', 'Max', 'opt', false],
	['total', 'Total', 'opt2', false],
	['own', 'Own time', '', false],
]

const NOTE = 'of recorded requests, since the start or the last clearing'

const NO_QUERIES = 'Requests through fetch and node:http are found without a setting, and some drivers report their queries. The guide "Queries" has adapters for the other drivers.'

class CallTables {
	elements
	#statements = h('div', {class: 'tbl', tabindex: '0', role: 'region', 'aria-label': 'Statements'})
	#services = h('div', {class: 'tbl', tabindex: '0', role: 'region', 'aria-label': 'Service methods'})
	#note = h('p', null, NOTE)
	#isPaused
	#timer
	#stats = null
	#shown = ''
	#byStatement = {key: 'total', isReversed: false}
	#byMethod = {key: 'own', isReversed: false}

	constructor(isPaused) {
		this.#isPaused = isPaused
		this.elements = [card('w12', 'Statements', this.#note, this.#statements), card('w12', 'Service methods', NOTE, this.#services)]
		this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS$1)
		void this.#read()
	}

	dispose() {
		clearInterval(this.#timer)
	}

	async #refresh() {
		if (!this.#isPaused() && document.visibilityState === 'visible') await this.#read()
	}

	async #read() {
		const stats = await api.calls().catch(() => null)
		const text = JSON.stringify(stats)
		if (stats === null || text === this.#shown) return
		this.#stats = stats
		this.#shown = text
		this.#draw()
	}

	#draw() {
		const stats = this.#stats
		if (stats === null) return
		const {dropped} = stats
		this.#note.textContent = dropped === 0 ? NOTE : \`\${NOTE}; \${int(dropped)} calls are not in the tables\`
		keepFocus(this.#statements, () => fill(this.#statements, this.#statementTable(stats.statements)))
		keepFocus(this.#services, () => fill(this.#services, this.#serviceTable(stats.services)))
	}

	#statementTable(statements) {
		if (statements.length === 0) return emptyState('No queries yet', secondaryText(NO_QUERIES))
		const choose = sorting => {
			this.#byStatement = sorting
			this.#draw()
		}
		const {key, isReversed} = this.#byStatement
		const heads = STATEMENT_COLUMNS.map(column => sortHead(column, this.#byStatement, choose))
		return table('Statements', heads, sortStatements(statements, key, isReversed).map(statementRow))
	}

	#serviceTable(services) {
		if (services.length === 0) return emptyState('No service calls yet')
		const choose = sorting => {
			this.#byMethod = sorting
			this.#draw()
		}
		const {key, isReversed} = this.#byMethod
		const heads = SERVICE_COLUMNS.map(column => sortHead(column, this.#byMethod, choose))
		return table('Service methods', heads, sortServices(services, key, isReversed).map(serviceRow))
	}
}

function table(label, heads, rows) {
	const caption = h('caption', {class: 'vh'}, label)
	return h('table', {class: 'pt ct'}, caption, h('thead', null, h('tr', null, heads)), h('tbody', null, rows))
}

function statementRow(statement) {
	const {kind, text, target, count, errors, rows, max, total, slowest} = statement
	const title = 'Open the request with the slowest of these queries'
	return tableRow(
		[h('span', {class: 'tag'}, kind), target !== null && h('span', {class: 'qv'}, target), h('a', {href: formatAddress({id: slowest, tab: 'queries'}), title}, compactText(kind, text))],
		[
			[int(count), ''],
			[errorCount(errors), errors > 0 ? 'opt hot' : 'opt'],
			[rows === null ? secondaryText('–') : int(rows), 'opt'],
			[ms(meanDuration(statement)), 'opt'],
			[ms(max), 'opt2'],
			[ms(total), ''],
		],
	)
}

function serviceRow({name, count, errors, total, own, max}) {
	return tableRow(h('code', {class: 'qt'}, name), [
		[int(count), ''],
		[errorCount(errors), errors > 0 ? 'opt hot' : 'opt'],
		[ms(max), 'opt'],
		[ms(total), 'opt2'],
		[ms(own), ''],
	])
}

function errorCount(errors) {
	return errors === 0 ? secondaryText('0') : int(errors)
}

function tableRow(first, cells) {
	return h(
		'tr',
		null,
		h('td', {class: 'q1'}, first),
		cells.map(([value, className]) => h('td', {class: className}, value)),
	)
}

// ui/pure/endpoints.ts

const SMALL_RANGE = {low: 1, high: 3_000}

const SMALL_BANDS = 25

function endpointRows(endpoints, now) {
	return endpoints.map(stats => {
		const counts = mergeCounts([stats.durations])
		const percentile = share => Math.min(quantile(counts, share) ?? 0, stats.max)
		return {
			stats,
			calls: stats.calls,
			rate: stats.calls / Math.max(1, (now - stats.since) / 1_000),
			errors: stats.calls === 0 ? 0 : stats.errors / stats.calls,
			p50: percentile(0.5),
			p90: percentile(0.9),
			p99: percentile(0.99),
			max: stats.max,
			bands: countBands(counts, SMALL_RANGE, SMALL_BANDS),
		}
	})
}

function sortRows(rows, key) {
	const formatName = ({stats}) => \`\${stats.template} \${stats.method}\`
	if (key === 'endpoint') return rows.toSorted((a, b) => formatName(a).localeCompare(formatName(b)))
	return rows.toSorted((a, b) => b[key] - a[key])
}

// ui/views/endpoint-table.ts

const COLUMNS$1 = [
	['endpoint', 'Endpoint', '', true],
	['calls', 'Calls', '', false],
	['rate', 'Rate', 'opt', false],
	['errors', 'Errors', 'opt2', false],
	['p50', 'p50', 'opt', false],
	['p90', 'p90', 'opt', false],
	['p99', 'p99', '', false],
	['max', 'Max', 'opt', false],
]

class EndpointTable {
	element
	#heads = h('tr', null)
	#body = h('tbody', null)
	#sorting = {key: 'p99', isReversed: false}
	#stats = []
	#slow = 0

	constructor() {
		const caption = h('caption', {class: 'vh'}, 'Endpoints')
		const table = h('table', {class: 'pt'}, caption, h('thead', null, this.#heads), this.#body)
		this.element = h('div', {class: 'tbl', tabindex: '0', role: 'region', 'aria-label': 'Endpoints'}, table)
		this.#sort(this.#sorting)
	}

	update(stats, slow) {
		if (stats === this.#stats) return
		this.#stats = stats
		this.#slow = slow
		this.#draw()
	}

	#sort(sorting) {
		this.#sorting = sorting
		const heads = COLUMNS$1.map(column => sortHead(column, sorting, chosen => this.#sort(chosen)))
		const last = h('th', {scope: 'col', class: 'opt'}, 'Distribution, 1 ms to 3 s')
		keepFocus(this.#heads, () => fill(this.#heads, heads, last))
		this.#draw()
	}

	#draw() {
		const {key, isReversed} = this.#sorting
		const sorted = sortRows(endpointRows(this.#stats, serverNow()), key)
		const rows = isReversed ? sorted.toReversed() : sorted
		const emptyRow = h('tr', null, h('td', {colspan: COLUMNS$1.length + 1}, 'No endpoint was called yet.'))
		fill(this.#body, rows.length === 0 ? emptyRow : rows.map(row => endpointRow(row, this.#slow)))
	}
}

function endpointRow(row, slow) {
	const errors = row.errors === 0 ? secondaryText('0') : rate(row.errors)
	const cells = [
		[int(row.calls), ''],
		[\`\${row.rate.toFixed(2)}/s\`, 'opt'],
		[errors, row.errors > 0.05 ? 'opt2 hot' : 'opt2'],
		[ms(row.p50), 'opt'],
		[ms(row.p90), 'opt'],
		[ms(row.p99), row.p99 > slow ? 'hot' : ''],
		[ms(row.max), 'opt'],
		[smallChart(row, slow), 'opt'],
	]
	return h(
		'tr',
		null,
		h('td', null, endpointName(row)),
		cells.map(([value, className]) => h('td', {class: className}, value)),
	)
}

function endpointName({stats}) {
	const {handler, method, template, version} = stats
	const path = h('span', {class: 'pth'}, template, version !== null && [' ', secondaryText(version)])
	if (handler === null) return h('span', null, methodMark(method), ' ', path)
	const q = \`handler:\${handler} method:\${method}\`
	return h('a', {href: formatAddress({q})}, methodMark(method), ' ', path)
}

function smallChart({bands}, slow) {
	const highest = Math.max(1, ...bands)
	const bars = bands.map((count, index) => {
		const height = Math.max(1, (count / highest) * 20)
		const isSlow = bandStart(index + 1, SMALL_RANGE, SMALL_BANDS) > slow
		const fill = isSlow ? 'var(--g-warn)' : 'var(--accent)'
		return count > 0 && s('rect', {x: index * 5, y: 21 - height, width: 4, height, fill, opacity: 0.85})
	})
	const base = s('line', {class: 'grid-l', x1: 0, x2: 125, y1: 21.5, y2: 21.5})
	return s('svg', {viewBox: '0 0 125 22', 'aria-hidden': 'true'}, base, bars)
}

// ui/views/heat-map.ts

const LEFT = 48
const RIGHT = 12
const TOP = 6
const BOTTOM = 20
const SLICE_MS = 10_000
const SLICE_SECONDS = SLICE_MS / 1_000

function heatMap(data, list) {
	let cursor = null
	const label = () => \`Heat map of the last \${span(data().columns.length * SLICE_MS)}: \${describeMap(data())}\`
	const map = chart('chart tall', label, (svg, width, height) => paintHeatMap(svg, data(), {width, height, cursor}))
	const choose = cell => list(cellQuery(data(), cell))
	map.element.addEventListener('click', event => {
		const cell = event.target instanceof Element ? findCell(event.target) : null
		if (cell !== null) choose(cell)
	})
	const keydown = event => {
		const next = moveCursor(cursor, event.key, data().columns.length - 1)
		if (event.key === 'Enter' && cursor !== null) choose(cursor)
		if (next === null) return
		event.preventDefault()
		cursor = next
		say(describeCell(data(), next))
		map.draw()
	}
	const blur = () => {
		cursor = null
		map.draw()
	}
	const hint = 'Latency heat map. Arrow keys choose a cell, Enter lists its calls'
	const attributes = {tabindex: '0', role: 'group', 'aria-label': hint, on: {keydown, blur}}
	return {element: h('div', attributes, map.element), draw: map.draw}
}

function findCell(target) {
	const [column, band] = (target.getAttribute('data-cell') ?? '').split(' ').map(Number)
	return column === undefined || band === undefined ? null : {column, band}
}

const MOVES = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}

function moveCursor(cell, key, last) {
	const move = Object.hasOwn(MOVES, key) ? MOVES[key] : undefined
	if (move === undefined) return null
	const from = cell ?? {column: last, band: findBand(10, HEAT_RANGE, HEAT_BANDS)}
	return {column: clamp(from.column + move[0], 0, last), band: clamp(from.band + move[1], 0, HEAT_BANDS - 1)}
}

function cellBounds({band}) {
	return [bandStart(band, HEAT_RANGE, HEAT_BANDS), bandStart(band + 1, HEAT_RANGE, HEAT_BANDS)]
}

function cellQuery(data, cell) {
	const [low, high] = cellBounds(cell)
	const [least, most] = [low * 0.95, high * 1.05].map(bound => \`\${Number(bound.toPrecision(3))}ms\`)
	const time = data.columns[cell.column]?.time ?? 0
	const before = \`before:\${clock(time + SLICE_MS)[0]}\`
	if (cell.band === HEAT_BANDS - 1) return \`dur:>=\${least} \${before}\`
	return \`dur:\${least}..\${most} after:\${clock(time - high * 1.05)[0]} \${before}\`
}

function describeCell(data, cell) {
	const column = data.columns[cell.column]
	const [low, high] = cellBounds(cell)
	const count = column?.bands[cell.band] ?? 0
	return \`\${formatCount(count, 'call')}, \${ms(low)} to \${ms(high)}, from \${clock(column?.time ?? 0)[0]}\`
}

function describeMap({columns, episode}) {
	const calls = sum(columns.flatMap(({bands}) => bands))
	const time = episode === null ? '' : \`; slowest from \${clock(columns[episode.first]?.time ?? 0)[0]}\`
	return \`\${formatCount(calls, 'call')}\${time}. The endpoint table has the figures\`
}

function paintHeatMap(svg, data, {width, height, cursor}) {
	const [w, h] = [(width - LEFT - RIGHT) / data.columns.length, (height - TOP - BOTTOM) / HEAT_BANDS]
	const place = (column, band) => ({x: LEFT + column * w + 0.5, y: TOP + (HEAT_BANDS - 1 - band) * h + 0.5, width: Math.max(0.5, w - 1), height: Math.max(0.5, h - 1)})
	const highest = Math.max(1, ...data.columns.flatMap(({bands}) => bands))
	for (const [column, {bands}] of data.columns.entries()) {
		for (const [band, count] of bands.entries()) {
			if (count === 0) continue
			const opacity = (0.1 + 0.9 * (count / highest) ** 0.55).toFixed(2)
			const title = s('title', null, describeCell(data, {column, band}))
			svg.append(s('rect', {class: 'cell', 'data-cell': \`\${column} \${band}\`, rx: 1, opacity, ...place(column, band)}, title))
		}
	}
	if (svg.childElementCount === 0) paintEmpty(svg, width, height)
	if (cursor !== null) svg.append(s('rect', {class: 'cursor', rx: 2, ...place(cursor.column, cursor.band)}))
	paintAxes(svg, {width, height}, data.columns.length)
	if (data.episode !== null) paintEpisode(svg, data.episode, {w, height})
}

function paintAxes(svg, {width, height}, columnCount) {
	const {low, high} = HEAT_RANGE
	const scale = logarithmic([low, high], [height - BOTTOM + 3, TOP + 3])
	for (const tick of logTicks(low, high)) {
		const y = Math.max(TOP + 8, scale(tick))
		svg.append(s('text', {class: 'axis', x: LEFT - 7, y, 'text-anchor': 'end'}, tickLabel(tick)))
	}
	svg.append(...timeAxis({x1: LEFT, x2: width - RIGHT, y: height - 5}, timeLabels(columnCount * SLICE_SECONDS)))
}

function paintEpisode(svg, episode, {w, height}) {
	const x = LEFT + episode.first * w - 2
	const width = (episode.last - episode.first + 1) * w + 4
	const isLeft = x > 180
	const look = {rx: 3, fill: 'none', stroke: 'var(--g-warn)', 'stroke-dasharray': '3 3'}
	svg.append(s('rect', {x, y: TOP, width, height: height - TOP - BOTTOM, ...look}))
	const text = \`p99 \${episode.factor.toFixed(1)} times normal\`
	const anchor = {x: isLeft ? x - 8 : x + width + 8, y: TOP + 10, 'text-anchor': isLeft ? 'end' : 'start'}
	svg.append(s('text', {class: 'axis strong halo', ...anchor}, text))
}

// ui/views/line-chart.ts

const LABEL_HEIGHT = 12
const MIN_POINTS = 10

function paintLines(svg, lines, axes) {
	const {width, height} = axes
	const [x1, x2, bottom] = [44, width - axes.right, height - 18]
	const y = axes.scale(bottom, 8)
	const span = clamp(Math.max(...lines.map(({values}) => values.length)), MIN_POINTS, MAX_POINTS)
	const position = linear([0, span - 1], [x1, x2])
	const x = (index, count) => position(index + span - count)
	for (const [value, text] of axes.ticks) svg.append(...gridLine({x1, x2, y: y(value)}, text))
	svg.append(...timeAxis({x1, x2, y: height - 4}, timeLabels(span)))
	for (const line of lines) paintLine(svg, line, {x, y, x1, x2, bottom})
	paintLabels(svg, lines, {x, y, x1, x2, bottom})
	if (lines.every(({values}) => values.every(value => value === null))) paintEmpty(svg, width, height)
	return {x, y, x1, x2, bottom}
}

function paintLine(svg, line, plot) {
	const count = line.values.length
	const toPoint = (value, index) => [plot.x(index, count), plot.y(value)]
	const points = line.values.map((value, index) => (value === null ? null : toPoint(value, index)))
	const solid = points.filter(point => point !== null)
	const fill = \`var(\${line.color})\`
	if (line.base !== undefined) {
		svg.append(s('path', {d: areaBetween(solid, line.base.map(toPoint)), fill, opacity: 0.85}))
		return
	}
	if (solid.length === 0) return
	if (line.isFilled === true) svg.append(s('path', {d: areaBelow(solid, plot.bottom), fill, opacity: 0.13}))
	const stroke = {fill: 'none', stroke: fill, 'stroke-width': 1.6, 'stroke-linejoin': 'round'}
	svg.append(s('path', {d: pathThrough(line.isFilled === true ? solid : points), ...stroke}))
}

function paintLabels(svg, lines, plot) {
	const labels = lines.flatMap(({label, values}) => {
		const lastValue = values.findLast(value => value !== null)
		return label === undefined || typeof lastValue !== 'number' ? [] : [{label, y: plot.y(lastValue)}]
	})
	let minY = Number.NEGATIVE_INFINITY
	for (const {label, y} of labels.toSorted((a, b) => a.y - b.y)) {
		const labelY = Math.max(y, minY)
		minY = labelY + LABEL_HEIGHT
		svg.append(s('text', {class: 'axis strong', x: plot.x2 + 6, y: labelY + 3.5}, label))
	}
}

// ui/views/performance-charts.ts

function percentileChart(points) {
	return chart(
		'chart tall',
		() => 'Percentiles of durations, on a log scale',
		(svg, width, height) => {
			const {p50, p95, p99} = computeFigures(points())
			const lines = [
				{values: p99, color: '--g-bad', label: 'p99'},
				{values: p95, color: '--g-warn', label: 'p95'},
				{values: p50, color: '--accent', label: 'p50'},
			]
			const present = [...p50, ...p99].filter(value => value !== null)
			const low = Math.min(1, ...present.map(value => value * 0.8))
			const high = Math.max(1_000, ...present.map(value => value * 1.2))
			const ticks = logTicks(low, high).map(tick => [tick, tickLabel(tick)])
			const scale = (bottom, top) => logarithmic([Math.max(low, 0.01), high], [bottom, top])
			paintLines(svg, lines, {width, height, scale, ticks, right: 34})
		},
	)
}

function rateChart(points) {
	return chart(
		'chart',
		() => 'Requests per second by class of status',
		(svg, width, height) => {
			const rows = points().map(({classes}) => classes)
			const upTo = last => rows.map(row => sum(row.slice(0, last + 1)))
			const zero = rows.map(() => 0)
			const lines = [
				{values: upTo(2), base: zero, color: '--g-ok'},
				{values: upTo(3), base: upTo(2), color: '--g-info'},
				{values: upTo(4), base: upTo(3), color: '--g-warn'},
				{values: upTo(5), base: upTo(4), color: '--g-bad'},
			]
			paintLines(svg, lines, {width, height, right: 12, ...linearAxis(Math.max(4, ...upTo(5)), '')})
		},
	)
}

function loopChart(points, limit) {
	return chart(
		'chart',
		() => \`Event loop delay, p99 of each second; a stall is \${limit()} ms\`,
		(svg, width, height) => {
			const {loopDelay} = computeFigures(points())
			const highest = Math.max(limit() * 1.2, ...loopDelay.map(value => value ?? 0))
			const axes = {width, height, right: 12, ...linearAxis(highest, ' ms')}
			const plot = paintLines(svg, [{values: loopDelay, color: '--g-warn', isFilled: true}], axes)
			const y = plot.y(limit())
			svg.append(s('line', {x1: plot.x1, x2: plot.x2, y1: y, y2: y, stroke: 'var(--g-bad)', 'stroke-dasharray': '4 3'}))
		},
	)
}

function heapChart(points) {
	return chart(
		'chart',
		() => 'Heap used, collections marked',
		(svg, width, height) => {
			const {heap} = computeFigures(points())
			const axes = {width, height, right: 12, ...linearAxis(Math.max(1, ...heap) * 1.1, ' MB')}
			const plot = paintLines(svg, [{values: heap, color: '--accent', isFilled: true}], axes)
			for (const [index, {gc}] of points().entries()) {
				const d = \`M\${plot.x(index, points().length)} \${plot.bottom}l3.5 5h-7z\`
				if (gc > 0) svg.append(s('path', {d, fill: 'var(--text-3)'}))
			}
		},
	)
}

function linearAxis(greatest, unit) {
	const values = niceTicks(greatest)
	const top = values.at(-1) ?? 1
	const label = (value, index) => \`\${Number(value.toPrecision(3))}\${index === values.length - 1 ? unit : ''}\`
	return {scale: (bottom, end) => linear([0, top], [bottom, end]), ticks: values.map((value, index) => [value, label(value, index)])}
}

// ui/views/performance.ts

const REFRESH_MS = 3_000
const LEGEND = [
	['--g-ok', '2xx'],
	['--g-info', '3xx'],
	['--g-warn', '4xx'],
	['--g-bad', '5xx'],
]

class PerformanceView {
	element
	#kpis = h('dl', {class: 'kpis'})
	#table = new EndpointTable()
	#calls
	#note = h('p', null)
	#charts
	#timer
	#shown = []

	constructor(context) {
		const {store, feed} = context
		this.#calls = new CallTables(() => store.state.paused)
		const points = () => store.state.points
		const heat = heatMap(
			() => {
				const {slices} = store.state
				const now = serverNow()
				const columns = heatColumns(slices, now, countHeatColumns(slices, now))
				return {columns, episode: worstEpisode(slices, columns)}
			},
			q => context.go({q}),
		)
		const [percentiles, rate, heap] = [percentileChart(points), rateChart(points), heapChart(points)]
		const loop = loopChart(points, () => store.state.settings.stall)
		this.#charts = [heat, percentiles, rate, loop, heap]
		const cards = h(
			'div',
			{class: 'cards'},
			card('w8', 'Latency heat map', 'stronger colour is more calls, select a cell to list them', heat.element),
			card('w4', 'Percentiles', 'of the last 5 s, log scale', percentiles.element),
			card('w4', 'Requests per second', legend(), rate.element),
			card('w4', 'Event loop delay', 'p99 per second', loop.element),
			card('w4', 'Heap', 'triangles are collections', heap.element),
			card('w12', 'Endpoints', this.#note, this.#table.element),
			this.#calls.elements,
		)
		this.element = pageElement('Performance', this.#kpis, cards)
		this.#timer = setInterval(() => void feed.refreshMetrics(), REFRESH_MS)
		void feed.refreshMetrics()
	}

	update(state) {
		const next = [state.points, state.slices, state.endpoints]
		if (isSame(next, this.#shown)) return
		this.#shown = next
		fill(this.#kpis, kpis(state))
		const calls = sum(state.endpoints.map(endpoint => endpoint.calls))
		this.#note.textContent = \`\${formatCount(calls, 'call')} since the start or the last clearing\`
		this.#table.update(state.endpoints, state.settings.slow)
		for (const {draw} of this.#charts) draw()
	}

	dispose() {
		clearInterval(this.#timer)
		this.#calls.dispose()
	}
}

function legend() {
	const items = LEGEND.map(([color, text]) => h('span', {class: 'lgd'}, h('i', {css: {'--c': \`var(\${color})\`}}), text))
	return h('p', null, items)
}

function kpis(state) {
	const {points} = state
	const now = summarizePoints(points)
	const figures = computeFigures(points)
	const heap = \`\${now.heap.toFixed(now.heap < 100 ? 1 : 0)} MB\`
	return [
		kpi('Throughput', \`\${now.rate.toFixed(1)} req/s\`, sparkline(figures.rate, '--accent')),
		kpi('Error rate', rate(now.errorRate).replace('%', ' %'), sparkline(figures.errors, '--g-bad')),
		kpi('Median', formatDuration(now.p50), sparkline(figures.p50, '--text-3')),
		kpi('p99', formatDuration(now.p99), sparkline(figures.p99, '--text-3')),
		kpi('In flight', String(now.inFlight), sparkline(figures.inFlight, '--text-3')),
		kpi('Event loop p99', formatDuration(now.loopDelay), sparkline(figures.loopDelay, '--g-warn')),
		kpi('Heap used', heap, sparkline(figures.heap, '--text-3')),
	]
}

function formatDuration(value) {
	return value === null ? '–' : ms(value)
}

function kpi(name, text, line) {
	const [value = '', unit = ''] = text.split(' ')
	return h('div', {class: 'kpi'}, h('dt', null, name), h('dd', null, value, h('small', null, unit), line))
}

// ui/pure/try-form.ts

const SEGMENT = /\\{(\\w+)(\\.\\.\\.)?\\}/g

const FORM = 'multipart/form-data'

const NO_FORM = {fields: [], body: null, type: ''}

function buildForm({method, template, ...versions}, operation, record) {
	const form = operation['x-form'] ?? NO_FORM
	const named = new Set(form.fields.map(field => field.name))
	const missing = [...template.matchAll(SEGMENT)].filter(([, name = '']) => !named.has(name))
	const version = versionFields(versions).filter(({name}) => !named.has(name))
	const fields = [...missing.map(([, name = '']) => textField(name)), ...form.fields, ...version]
	if (record === null) return {...form, method, template, fields}
	const filled = fields.map(field => fillField(field, formValue(record, field)))
	const sent = record['http.request.method']
	return {...form, method: sent, template, fields: filled, body: formBody(record) ?? form.body}
}

function fillField(field, value) {
	if (value === null) return field
	const {kind, options} = field
	const isNew = kind === 'select' && !options.includes(value)
	return {...field, value, options: isNew ? [value, ...options] : options}
}

function targetForm(record) {
	const fields = [
		{...textField('Method'), place: 'method', value: record['http.request.method']},
		{...textField('Target'), place: 'target', value: withQuery(record['url.path'], record['url.query'])},
	]
	const type = record.request.body?.type ?? 'text/plain'
	return {method: '', template: '', fields, body: formBody(record) ?? '', type}
}

function freeHeaders(form, {request}) {
	const named = new Set(form.fields.filter(({place}) => place === 'header').map(({name}) => name.toLowerCase()))
	const free = request.headers.filter(([name, value]) => {
		const lower = name.toLowerCase()
		const isSet = named.has(lower) || SENDER_HEADERS.has(lower) || (lower === 'content-type' && value === form.type)
		return !isSet && lower !== 'authorization' && canSendHeader(lower) && !lower.startsWith('x-dev-')
	})
	return free.map(([name, value]) => \`\${name}: \${value}\`).join('\\n')
}

function freeQuery(form, record) {
	const named = new Set(form.fields.filter(({place}) => place === 'query').map(({name}) => name))
	const query = [...new URLSearchParams(record['url.query'])].filter(([name, value]) => value === '' || !named.delete(name))
	return new URLSearchParams(query).toString()
}

function textField(name) {
	return {place: 'path', name, kind: 'text', options: [], required: true, value: '', hint: ''}
}

function versionFields({version, versionHeader}) {
	if (typeof version !== 'string' || typeof versionHeader !== 'string') return []
	const [, lowest = ''] = /^(?:>=|[=^~])?\\s*(\\d[\\w.-]*)/.exec(version) ?? []
	const plain = {kind: 'text', options: [], required: false}
	return [{place: 'header', name: versionHeader, value: lowest, hint: version, ...plain}]
}

function formValue(record, {place, name}) {
	if (place === 'path') return record.params[name] ?? null
	if (place === 'query') return new URLSearchParams(record['url.query']).get(name)
	if (place !== 'header') return null
	return record.request.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1] ?? null
}

function formBody({request}) {
	const text = request.body?.text ?? null
	const value = text === null ? undefined : parseJson$1(text)
	return value === undefined ? text : JSON.stringify(value, null, 2)
}

function buildRequest(form, typed, base) {
	const filled = form.fields.map((field, index) => {
		const values = [typed.values[index] ?? ''].flat()
		return {...field, given: values, value: values.filter(each => typeof each === 'string').join()}
	})
	const path = form.template.replaceAll(SEGMENT, (_, name, rest) => {
		const value = filled.find(field => field.place === 'path' && field.name === name)?.value ?? ''
		return rest === undefined ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/')
	})
	const used = filled.filter(field => field.value !== '')
	const {stored = []} = typed
	const pairsAt = place => [...used, ...stored].filter(field => field.place === place).map(({name, value}) => [name, value])
	const query = [...new URLSearchParams(pairsAt('query')), ...new URLSearchParams(typed.query ?? '')]
	const valueIn = place => filled.find(field => field.place === place)?.value
	const target = valueIn('target') ?? withQuery(path, new URLSearchParams(query).toString())
	return {
		method: (valueIn('method') ?? form.method).trim().toUpperCase(),
		url: \`\${base.origin}\${target.startsWith('/') ? '' : '/'}\${target}\`,
		headers: requestHeaders(form, {body: typed.body, headers: pairsAt('header')}, base.headers),
		body: form.type === FORM || (form.template === '' && typed.body === '') ? null : typed.body,
		cookies: pairsAt('cookie')
			.map(pair => pair.join('='))
			.join('; '),
		...(form.schemes?.some(({kind}) => kind === 'basic') === true && {isBasic: true}),
		...(form.type === FORM && {parts: toFormParts(filled)}),
	}
}

function withQuery(path, query) {
	return query === '' ? path : \`\${path}?\${query}\`
}

function requestHeaders(form, {headers, body}, base) {
	const isForm = form.type === FORM
	const typedHeaders = [...headers]
	const isTyped = base.some(([name]) => name.toLowerCase() === 'content-type')
	if (body !== null && !isForm && !isTyped) typedHeaders.push(['content-type', form.type])
	const names = new Set([...(isForm ? ['content-type'] : []), ...typedHeaders.map(([name]) => name.toLowerCase())])
	return [...base.filter(([name]) => canSendHeader(name) && !names.has(name.toLowerCase())), ...typedHeaders]
}

function toFormParts(fields) {
	return fields.filter(({place}) => place === 'part').flatMap(({name, given}) => given.filter(value => value !== '').map(value => [name, value]))
}

// ui/pure/schema.ts

const MAX_DEPTH = 8

function listFields(document, schema) {
	const fields = new Map()
	collectFields(document, schema, {fields, depth: 0})
	return [...fields.values()]
}

function collectFields(document, schema, into) {
	if (into.depth > MAX_DEPTH) return
	const resolved = resolveSchema(document, schema)
	const required = new Set(listOrEmpty(resolved['required']))
	for (const part of listOrEmpty(resolved['allOf'])) collectFields(document, part, {...into, depth: into.depth + 1})
	for (const [name, member] of Object.entries(objectOrEmpty(resolved['properties']))) {
		const inner = resolveSchema(document, member)
		into.fields.set(name, {
			name,
			type: schemaType(member),
			required: required.has(name),
			description: stringOrEmpty(objectOrEmpty(member)['description']) || stringOrEmpty(inner['description']),
			schema: objectOrEmpty(member),
		})
	}
}

function innerSchema(document, schema) {
	const resolved = resolveSchema(document, schema)
	if (isJson(resolved['items'])) return innerSchema(document, resolved['items'])
	return isJson(resolved['properties']) || Array.isArray(resolved['allOf']) ? resolved : null
}

function schemaType(schema) {
	return stringOrEmpty(objectOrEmpty(schema)['x-type'])
}

// ui/views/schema-view.ts

function schemaList(document, schema) {
	const inner = innerSchema(document, schema)
	const fields = inner === null ? [] : listFields(document, inner)
	if (fields.length > 0) return fieldList(document, fields)
	return h('ul', {class: 'sch'}, h('li', null, h('span', {class: 'ty'}, schemaType(schema))))
}

function fieldList(document, fields) {
	return h(
		'ul',
		{class: 'sch'},
		fields.map(field => fieldView(document, field)),
	)
}

function fieldView(document, field) {
	const inner = innerSchema(document, field.schema)
	return h(
		'li',
		null,
		h('span', {class: 'nm'}, field.name),
		h('span', {class: 'ty'}, field.type),
		field.required ? h('span', {class: 'tag'}, 'required') : h('span'),
		field.description !== '' && h('span', {class: 'ds'}, field.description),
		inner && unfolding(document, inner),
	)
}

function unfolding(document, schema) {
	const box = h('details', null, h('summary', null, 'members'))
	const open = () => {
		if (box.open && box.childElementCount === 1) append(box, [schemaList(document, schema)])
	}
	box.addEventListener('toggle', open)
	return box
}

// ui/views/route-detail.ts

function findOperation(route, document) {
	if (route.operation === null) return {}
	const [path, method] = route.operation
	return objectOrEmpty(objectOrEmpty(objectOrEmpty(document['paths'])[path])[method])
}

function routeDetail(source, form) {
	const {route, document, back} = source
	const operation = findOperation(route, document)
	const about = [stringOrEmpty(operation['summary']), stringOrEmpty(operation['description'])].filter(text => text !== '')
	const head = h(
		'div',
		{class: 'head'},
		back,
		h('h2', null, methodMark(route.method), ' ', route.template),
		about.map(text => h('p', null, text)),
	)
	const warnings = route.warnings.map(text => h('div', {class: 'call warn'}, h('span', null, text)))
	const notes = route.notes.map(emptyMessage)
	const parts = h('div', {class: 'stack'}, warnings, notes, routeFacts(source), describedParts(source, operation))
	return [head, h('div', {class: 'rcols'}, parts, form)]
}

function routeFacts({route, state}) {
	const tags = route.decorators.map(text => [h('span', {class: 'tag mono'}, text), ' '])
	const handler = [h('code', null, route.id), route.place && placeMark(route.place, state)]
	return pairs([
		['Handler', h('span', {class: 'two'}, handler)],
		['Decorators', tags.length === 0 ? secondaryText('none') : tags],
		['Version', route.version === null ? secondaryText('any') : h('code', null, route.version)],
		['Calls', callCount(route, state)],
		['Deprecated', route.deprecated ? 'yes' : null],
	])
}

function callCount(route, state) {
	const stats = state.endpoints.find(({handler, method}) => handler === route.id && method === route.method)
	if (stats === undefined) return secondaryText('none yet')
	const counts = mergeCounts([stats.durations])
	const percentile = share => h('span', {class: 'num'}, ms(Math.min(quantile(counts, share) ?? 0, stats.max)))
	const calls = formatCount(stats.calls, 'call')
	const text = h('span', null, \`\${calls}, p50 \`, percentile(0.5), ', p99 ', percentile(0.99))
	const link = h('a', {class: 'link', href: formatAddress({q: \`handler:\${route.id}\`})}, 'show them')
	return h('span', {class: 'two'}, text, link)
}

const PLACES = [
	['path', 'Path parameters'],
	['query', 'Query'],
	['header', 'Headers'],
	['cookie', 'Cookies'],
]

function describedParts(source, operation) {
	const {document, isReading} = source
	if (Object.keys(operation).length === 0) {
		return emptyMessage(isReading ? 'Reading the OpenAPI document …' : 'The OpenAPI document does not describe this endpoint.')
	}
	const parameters = listOrEmpty(operation['parameters']).map(parameter => resolveSchema(document, parameter))
	const groups = PLACES.map(([place, title]) => {
		const placed = parameters.filter(parameter => parameter['in'] === place)
		return placed.length > 0 && section(title, null, parameterList(document, placed))
	})
	return [groups, bodyPart(document, operation), section('Responses', null, responseList(document, operation))]
}

function parameterList(document, parameters) {
	const fields = parameters.map(parameter => ({
		name: stringOrEmpty(parameter['name']),
		type: schemaType(parameter['schema']),
		required: parameter['required'] === true,
		description: stringOrEmpty(parameter['description']) || stringOrEmpty(resolveSchema(document, parameter['schema'])['description']),
		schema: objectOrEmpty(parameter['schema']),
	}))
	return fieldList(document, fields)
}

function bodyPart(document, operation) {
	const content = Object.entries(objectOrEmpty(resolveSchema(document, operation['requestBody'])['content']))
	return content.map(([type, media]) => section('Request body', type, schemaList(document, objectOrEmpty(media)['schema'])))
}

function responseList(document, operation) {
	const rows = Object.entries(objectOrEmpty(operation['responses'])).map(([status, value]) => {
		const response = resolveSchema(document, value)
		const media = objectOrEmpty(Object.values(objectOrEmpty(response['content']))[0])
		const schema = media['schema']
		const inside = schema !== undefined && h('details', null, h('summary', null, schemaType(schema)), schemaList(document, schema))
		const mark = /^\\d+$/.test(status) ? statusMark(Number(status)) : h('span', {class: 'nm'}, status)
		return h('li', null, mark, h('span', null, stringOrEmpty(response['description'])), inside)
	})
	return h('ul', {class: 'sch'}, rows)
}

// ui/pure/route-rows.ts

function routeSearch(routes) {
	const texts = routes.map(({id, method, template, decorators, class: name}) => [id, method, template, name, ...decorators].join(' ').toLowerCase())
	return text => {
		const word = text.trim().toLowerCase()
		return routes.filter((_, index) => texts[index]?.includes(word))
	}
}

function groupByClass(routes) {
	const groups = groupBy(routes, route => route.class)
	return [...groups.values()].flatMap(group => group.map((route, index) => ({route, isFirst: index === 0})))
}

function rowOffsets(rows, heights) {
	let end = 0
	return [0, ...rows.map(({isFirst}) => (end += heights.row + (isFirst ? heights.heading : 0)))]
}

function rowsInView(offsets, scroll, spare) {
	const count = offsets.length - 1
	const firstRow = findRow(offsets, scroll.top)
	const lastRow = findRow(offsets, scroll.top + scroll.height)
	return {first: Math.max(0, firstRow - spare), end: Math.min(count, lastRow + 1 + spare)}
}

function findRow(offsets, position) {
	let [low, high] = [0, Math.max(0, offsets.length - 2)]
	while (low < high) {
		const middle = Math.ceil((low + high) / 2)
		if ((offsets[middle] ?? 0) <= position) low = middle
		else high = middle - 1
	}
	return low
}

// ui/views/route-tree.ts

const SPARE_ROWS = 12

class RouteTree {
	element = h('nav', {class: 'tree', 'aria-label': 'Routes', tabindex: '-1'})
	#list = h('ul', {role: 'list'})
	#routes = null
	#search = routeSearch([])
	#rows = []
	#offsets = [0]
	#shown = new Map()
	#endpoints = []
	#stats = new Map()
	#q = ''
	#current = null
	#target = null
	#heights = {row: 29, heading: 33}
	#start = 0
	#top = 0
	#height = 0

	constructor() {
		this.element.addEventListener('scroll', () => this.#handleScroll(), {passive: true})
		this.element.addEventListener('focusin', () => this.#handleFocus())
		new ResizeObserver(() => this.#handleResize()).observe(this.element)
	}

	get rows() {
		return this.#rows
	}

	showMessage(text) {
		this.#routes = null
		this.#rows = []
		fill(this.element, emptyState(text))
	}

	show(list, endpoints, {id, q}) {
		const isFirst = this.#routes === null
		if (list !== this.#routes || q !== this.#q) this.#filter(list, q)
		if (endpoints !== this.#endpoints) {
			this.#endpoints = endpoints
			this.#stats = new Map(endpoints.map(stats => [statsKey(stats.handler, stats.method), stats]))
		}
		if (id !== null && (id !== this.#current || isFirst)) this.#target = id
		this.#current = id ?? list.routes[0]?.id ?? null
		this.#draw()
		this.#reveal()
	}

	followFocus() {
		if (!this.element.contains(document.activeElement)) return
		this.#focus(this.#rows.find(({route}) => route.id === this.#current)?.route)
	}

	#filter(list, q) {
		const isRead = list !== this.#routes
		const isOther = q !== this.#q
		if (isRead) this.#search = routeSearch(list.routes)
		this.#routes = list
		this.#q = q
		this.#rows = groupByClass(this.#search(q))
		this.#offsets = rowOffsets(this.#rows, this.#heights)
		const isEmpty = this.#rows.length === 0
		const message = list.routes.length === 0 ? 'The app has no routes.' : 'No route matches.'
		if (isEmpty || isRead || !this.#list.isConnected) fill(this.element, list.warnings.map(warning), isEmpty ? emptyState(message) : this.#list)
		if (isRead || isOther) this.#scrollTo(isOther ? 0 : this.#top)
		if (isRead) this.#measure()
	}

	#handleScroll() {
		this.#top = this.element.scrollTop
		this.#draw()
	}

	#handleFocus() {
		const routes = [...this.#shown.keys()]
		const focused = this.#focusedRoute()
		if (focused === null || (focused !== routes[0] && focused !== routes.at(-1))) return
		this.#target = focused.id
		this.#reveal()
	}

	#handleResize() {
		const wasHidden = this.#height === 0
		this.#height = this.element.clientHeight
		if (this.#height === 0) return
		this.#draw()
		this.#measure()
		if (wasHidden) this.#scrollTo(this.#top)
		else this.#draw()
		this.#reveal()
	}

	#measure() {
		const heading = this.#list.querySelector('h2')?.getBoundingClientRect().height ?? 0
		const row = this.#list.querySelector('a')?.getBoundingClientRect().height ?? 0
		if (row > 0 && heading > 0) this.#heights = {row, heading}
		this.#offsets = rowOffsets(this.#rows, this.#heights)
		const top = this.#list.getBoundingClientRect().top - this.element.getBoundingClientRect().top
		this.#start = top + this.element.scrollTop
	}

	#reveal() {
		if (this.#target === null || this.#height === 0) return
		const index = this.#rows.findIndex(({route}) => route.id === this.#target)
		this.#target = null
		if (index === -1) return
		const start = this.#start + (this.#offsets[index] ?? 0)
		const end = this.#start + (this.#offsets[index + 1] ?? 0)
		const distance = Math.max(this.#top - start, end - this.#top - this.#height)
		if (distance <= 0) return
		if (distance > this.#height) this.#scrollTo(start - this.#height / 2)
		else this.#scrollTo(start < this.#top ? start : end - this.#height)
	}

	#scrollTo(top) {
		this.#top = Math.max(0, top)
		this.#draw()
		this.element.scrollTop = this.#top
	}

	#draw() {
		const scroll = {top: this.#top - this.#start, height: this.#height}
		const {first, end} = rowsInView(this.#offsets, scroll, SPARE_ROWS)
		const focused = this.#focusedRoute()
		const rows = this.#rows.slice(first, end)
		this.#shown = new Map(rows.map((row, index) => [row.route, this.#rowFor(row, first + index)]))
		placeChildren(
			this.#list,
			[...this.#shown.values()].map(({element}) => element),
		)
		const total = this.#offsets.at(-1) ?? 0
		this.#list.style.setProperty('--before', \`\${this.#offsets[first] ?? 0}px\`)
		this.#list.style.setProperty('--after', \`\${total - (this.#offsets[end] ?? 0)}px\`)
		if (focused !== null && this.#focusedRoute() === null) this.#focus(focused)
	}

	#focusedRoute() {
		const {activeElement} = document
		if (activeElement === null || !this.#list.contains(activeElement)) return null
		return [...this.#shown].find(([, {element}]) => element.contains(activeElement))?.[0] ?? null
	}

	#focus(route) {
		const link = route === undefined ? undefined : this.#shown.get(route)?.element.querySelector('a')
		const target = link ?? this.element
		target.focus({preventScroll: true})
	}

	#rowFor(row, index) {
		const {route, isFirst} = row
		const stats = this.#stats.get(statsKey(route.id, route.method))
		const isCurrent = route.id === this.#current
		const sources = [isFirst, isCurrent, stats, this.#q]
		const old = this.#shown.get(route)
		const isCached = old !== undefined && isSame(old.sources, sources)
		const shownRow = isCached ? old : {sources, element: routeRow(row, stats, {isCurrent, q: this.#q})}
		setAttribute(shownRow.element, 'aria-posinset', index + 1)
		setAttribute(shownRow.element, 'aria-setsize', this.#rows.length)
		return shownRow
	}
}

function statsKey(handler, method) {
	return \`\${handler} \${method}\`
}

function warning(text) {
	return h('p', {class: 'call warn'}, text)
}

function routeRow({route, isFirst}, stats, {isCurrent, q}) {
	const median = stats === undefined ? null : quantile(mergeCounts([stats.durations]), 0.5)
	const figures = stats === undefined || median === null ? '' : \`\${int(stats.calls)} · \${ms(median)}\`
	const link = h(
		'a',
		{href: formatAddress({view: 'routes', id: route.id, q}), 'aria-current': isCurrent ? 'true' : null},
		methodMark(route.method),
		h('span', {class: 'pth', title: route.template}, route.template),
		h('small', {title: 'Calls and median'}, figures),
	)
	return h('li', null, isFirst && classHeading(route), link)
}

function classHeading({class: name, place}) {
	const file = place?.file.split(/[/\\\\]/).at(-1) ?? ''
	return h('h2', {title: name}, h('span', null, name), h('span', {class: 'mono'}, file))
}

// ui/pure/picture.ts

const MAX_BYTES = 2_000_000
const SIGNATURES = [
	['image/png', '\\x89PNG\\r\\n\\x1a\\n'],
	['image/jpeg', '\\xff\\xd8\\xff'],
	['image/gif', 'GIF8'],
	['image/webp', 'RIFF', 8, 'WEBP'],
	['image/avif', '', 4, 'ftypavif'],
]

function pictureType(bytes) {
	if (bytes.byteLength > MAX_BYTES) return null
	const head = String.fromCharCode(...new Uint8Array(bytes.slice(0, 16)))
	const signature = SIGNATURES.find(([, start, offset = 0, more = '']) => head.startsWith(start) && head.startsWith(more, offset))
	return signature?.[0] ?? null
}

function toDataUrl(bytes, type) {
	let text = ''
	for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte)
	return \`data:\${type};base64,\${btoa(text)}\`
}

// ui/views/try-answer.ts

function responseFacts({status, duration, bytes}) {
	const mark = status === 0 ? h('span', {class: 'st s3'}, 'a redirect') : statusMark(status, true)
	const size = h('span', null, formatBytes(bytes.byteLength))
	return h('div', {class: 'facts num'}, mark, h('span', null, ms(duration)), size)
}

function addRecord(facts, record) {
	if (record === null) return
	facts.append(h('a', {class: 'link', href: formatAddress({id: record.id})}, 'Open in Requests'))
	facts.after(waterfallBar(record['dev.phases']))
}

function responseHeaders({headers}) {
	if (headers.length === 0) return null
	return h('details', {class: 'heads'}, h('summary', null, formatCount(headers.length, 'header')), pairs(headers, 'wire'))
}

function responseBody({bytes, text, type}) {
	const picture = pictureType(bytes)
	if (picture !== null) return h('img', {class: 'picture', alt: picture, src: toDataUrl(bytes, picture)})
	if (/[\\0\\ufffd]/.test(text)) {
		const first = new Uint8Array(bytes.slice(0, 64))
		return bytesView(
			Array.from(first, byte => byte.toString(16).padStart(2, '0')),
			bytes.byteLength,
		)
	}
	return text === '' ? emptyMessage('No body.') : textView(text, isJsonMediaType(type))
}

// ui/views/try-inputs.ts

function inputFor(field) {
	const {kind, value, required} = field
	if (kind === 'select') {
		const options = field.options.map(option => h('option', {value: option, selected: option === value}, option || '(none)'))
		return h('select', {class: 'in', required}, options)
	}
	if (kind === 'file' || kind === 'files') {
		return h('input', {class: 'in', type: 'file', accept: field.options.join(), multiple: kind === 'files', required})
	}
	const inputmode = kind === 'number' ? 'decimal' : null
	return textInput({inputmode, required, value, placeholder: field.hint})
}

function textInput(attributes) {
	return h('input', {class: 'in', type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes})
}

function inputValue(input) {
	return input instanceof HTMLInputElement && input.files !== null ? [...input.files] : input.value
}

function labelField(field, input) {
	const star = field.required && h('b', {title: 'required'}, ' *')
	return h('label', null, h('span', {title: field.hint}, field.name, star), input)
}

function fieldKey({place, name, kind}) {
	return \`\${place} \${kind} \${name}\`
}

function copyTyped(from, to) {
	if (from === undefined || to === undefined || !isChanged(from)) return
	if (!(from instanceof HTMLInputElement && to instanceof HTMLInputElement)) to.value = from.value
	else if (from.type === 'file') to.files = from.files
	else to.value = from.value
}

function isChanged(input) {
	if (input instanceof HTMLSelectElement) return input.selectedOptions[0]?.defaultSelected === false
	return input.value !== input.defaultValue
}

const AUTHORIZATION = credentialKey('header', 'authorization')
const KEPT = 'kept in this tab only'

function schemeFields(scheme) {
	const {kind, name} = scheme
	if (kind === 'basic') return basicFields()
	const isHttp = kind === 'http'
	const key = isHttp ? AUTHORIZATION : credentialKey(kind, name)
	const value = isHttp ? authorizationFor(scheme, readCredential) : readCredential(key)
	const input = secretInput(kind === 'cookie' ? \`\${KEPT}, with the browser's cookies\` : KEPT, value)
	input.addEventListener('input', () => {
		writeCredential(key, isHttp ? headerValue('authorization', input.value) : input.value)
	})
	return [h('label', null, h('span', null, name), input)]
}

function secretInput(placeholder, value) {
	return h('input', {class: 'in', type: 'password', autocomplete: 'off', placeholder, value})
}

function basicFields() {
	const [name, secret] = readBasic(readCredential(AUTHORIZATION))
	const user = textInput({value: name, placeholder: KEPT})
	const password = secretInput(KEPT, secret)
	const store = () => writeCredential(AUTHORIZATION, basicCredentials(user.value, password.value))
	for (const input of [user, password]) input.addEventListener('input', store)
	return [h('label', null, h('span', null, 'User'), user), h('label', null, h('span', null, 'Password'), password)]
}

// ui/views/try-it.ts

const RECORD_TIMEOUT_MS = 3_000
const POLL_MS = 100

class TryIt {
	element
	route
	#source
	#form
	#inputs
	#headers
	#query
	#body
	#cancel
	#out = h('div', {class: 'out', hidden: true, role: 'group', 'aria-label': 'Answer'})
	#sending = null

	constructor(source) {
		const {draft} = source
		this.#source = source
		this.route = source.route?.id ?? ''
		this.#form = createForm(source)
		this.#inputs = this.#form.fields.map(inputFor)
		const headers = draft === null ? '' : freeHeaders(this.#form, draft)
		this.#headers = h('textarea', {class: 'in', rows: 3, spellcheck: 'false', 'aria-label': 'Headers', placeholder: 'name: value'}, headers)
		const query = draft === null ? '' : freeQuery(this.#form, draft)
		this.#query = h('input', {class: 'in', type: 'text', autocomplete: 'off', placeholder: 'a=1&b=2', value: query})
		const {body} = this.#form
		const area = {class: 'in', rows: clamp((body ?? '').split('\\n').length, 4, 16), spellcheck: 'false', 'aria-label': 'Body', placeholder: 'Body'}
		this.#body = body === null ? null : h('textarea', area, body)
		this.#cancel = button('close', 'Cancel', {hidden: true, on: {click: () => this.#sending?.abort()}})
		const title = draft === null ? 'Try it' : 'Edit and resend'
		const head = h('header', null, icon('send'), h('h3', null, title), secondaryText(location.host))
		this.element = h('section', {class: 'try', 'aria-label': title}, head, this.#formElement(), this.#out)
	}

	focus() {
		const first = this.element.querySelector('input, select, textarea')
		first?.focus()
		if (first instanceof HTMLInputElement) first.select()
	}

	keepTyped(previous) {
		const typed = new Map(previous.#form.fields.map((field, index) => [fieldKey(field), previous.#inputs[index]]))
		this.#form.fields.forEach((field, index) => copyTyped(typed.get(fieldKey(field)), this.#inputs[index]))
		copyTyped(previous.#body ?? undefined, this.#body ?? undefined)
		copyTyped(previous.#headers, this.#headers)
		copyTyped(previous.#query, this.#query)
	}

	#formElement() {
		const {fields, schemes = DEFAULT_SCHEMES} = this.#form
		const labels = fields.map((field, index) => labelField(field, this.#inputs[index]))
		const submit = event => {
			event.preventDefault()
			void this.#send()
		}
		const keydown = event => {
			if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
		}
		return h(
			'form',
			{on: {submit, keydown}},
			labels,
			schemes.map(schemeFields),
			this.#signIn(),
			this.#freeInputs(),
			this.#body,
			missingNote(this.#source.draft),
			h('p', {class: 'hint'}, SENDING),
			this.#foot(),
		)
	}

	#foot() {
		const copy = {click: () => this.#copy()}
		const startFromLast = {click: () => void this.#startFromLast()}
		return h(
			'div',
			{class: 'foot'},
			button('send', 'Send', {class: 'btn primary', type: 'submit', title: 'Send (Ctrl ↵)'}),
			this.#cancel,
			button('copy', 'Copy as cURL', {on: copy}),
			this.#source.route !== null && button('up', 'Last good call', {on: startFromLast, title: 'Fill the form with the last successful call'}),
			h('kbd', null, 'Ctrl ↵'),
		)
	}

	#freeInputs() {
		const isOpen = this.#headers.value !== '' || this.#query.value !== ''
		const hasTarget = this.#source.route === null
		return h(
			'details',
			{class: 'free', open: isOpen},
			h('summary', null, hasTarget ? 'Headers' : 'Headers and query'),
			h('label', null, h('span', null, 'Headers'), this.#headers),
			!hasTarget && h('label', null, h('span', null, 'Query'), this.#query),
		)
	}

	#signIn() {
		const routes = this.#routes()
		const links = listOrEmpty(this.#form.signIn).flatMap(operation => {
			const route = routes.find(candidate => JSON.stringify(candidate.operation) === JSON.stringify(operation))
			const text = \`\${route?.method} \${route?.template}\`
			return route === undefined ? [] : [' ', h('a', {class: 'link', href: formatAddress({view: 'routes', id: route.id})}, text)]
		})
		return links.length > 0 && h('p', {class: 'hint'}, 'To get the cookie, sign in with', links)
	}

	#routes() {
		const list = this.#source.context.shelf.routes()
		return list.kind === 'ready' ? list.value.routes : []
	}

	#request() {
		const headers = parseHeaders(this.#headers.value)
		if (typeof headers === 'string') return headers
		const values = this.#inputs.map(input => inputValue(input))
		const {schemes = DEFAULT_SCHEMES} = this.#form
		const stored = schemeCredentials(schemes, readCredential)
		const typed = {values, body: this.#body?.value ?? null, query: this.#query.value, stored}
		return buildRequest(this.#form, typed, {origin: location.origin, headers})
	}

	#copy() {
		const request = this.#request()
		if (typeof request === 'string') this.#showInvalidHeader(request)
		else void copyText(toCurl(request), 'as cURL')
	}

	#showInvalidHeader(line) {
		this.#out.hidden = false
		fill(this.#out, emptyMessage(\`"\${line}" is not a header. Write "name: value"\`))
	}

	async #startFromLast() {
		const {context, route} = this.#source
		const lastSuccess = context.store.state.records.find(
			record => record['code.function.name'] === this.route && record['http.request.method'] === route?.method && isSuccess(record) && !isOfFile(record),
		)
		if (lastSuccess === undefined) return toast('No successful call of this endpoint is stored')
		try {
			context.draft = await context.shelf.load(lastSuccess.id)
			context.store.touch()
		} catch {
			toast('The last successful call is no longer stored')
		}
	}

	async #send() {
		const request = this.#request()
		if (typeof request === 'string') return this.#showInvalidHeader(request)
		const {draft, context} = this.#source
		if (draft !== null && !(await confirmSend(request.method))) return
		const origin = replayOrigin(draft)
		const newest = newestNumber(context.store.state)
		this.#sending?.abort()
		const sending = new AbortController()
		this.#sending = sending
		this.#out.hidden = false
		this.#cancel.hidden = false
		fill(this.#out, emptyMessage('Waiting for the response …'))
		try {
			const response = await sendTry(request, origin, sending.signal)
			const facts = responseFacts(response)
			fill(this.#out, facts, responseHeaders(response), responseBody(response))
			say(\`Answered with \${response.status} in \${ms(response.duration)}\`)
			this.#cancel.hidden = true
			addRecord(facts, await this.#waitForRecord(origin, newest))
		} catch (error) {
			if (this.#sending === sending) fill(this.#out, emptyMessage(failureText(error, sending.signal)))
		} finally {
			if (this.#sending === sending) this.#cancel.hidden = true
		}
	}

	async #waitForRecord(origin, newest) {
		const {store} = this.#source.context
		for (let waited = 0; waited < RECORD_TIMEOUT_MS; waited += POLL_MS) {
			const records = [...store.state.held.records, ...store.state.records]
			const replay = records.find(record => record['dev.replayOf'] === origin && record.seq > newest)
			if (replay !== undefined) return replay
			await new Promise(resolve => setTimeout(resolve, POLL_MS))
		}
		return null
	}
}

function replayOrigin(draft) {
	return draft === null || isOfFile(draft) ? \`\${TRIAL}\${Math.random().toString(36).slice(2, 10)}\` : draft.id
}

function newestNumber({records, boot}) {
	return records.find(record => record.boot === boot)?.seq ?? 0
}

function createForm({context, route, document, draft}) {
	if (route === null) return targetForm(draft)
	const {versionHeader} = context.store.state.settings
	return buildForm({...route, versionHeader}, findOperation(route, document), draft)
}

const DEFAULT_SCHEMES = [{kind: 'http', name: 'Authorization'}]

function failureText(error, {aborted}) {
	if (aborted) return 'Canceled.'
	return \`No answer: \${error instanceof Error ? error.message : 'the request failed'}\`
}

function missingNote(draft) {
	const missing = draft && whyNotReplayable(draft)
	return missing && h('p', {class: 'hint'}, \`\${missing}. Complete it before you send it.\`)
}

// ui/views/routes.ts

const NO_DOCUMENT = {}

class RoutesView {
	element
	#context
	#input
	#focus
	#tree = new RouteTree()
	#detail
	#split
	#back = h('a', {class: 'btn only-n'}, icon('back'), 'All routes')
	#openapi
	#form = null
	#formSources = []
	#fields = ''
	#shown = []
	#treeSources = []

	constructor(context) {
		this.#context = context
		const field = searchField('Filter routes', 'Filter by path, class, or decorator', {input: () => context.go({...context.address(), q: this.#input.value}, 'replace')})
		this.#input = field.input
		this.#focus = field.focus
		this.#detail = h('div', {class: 'rd', tabindex: '0', role: 'region', 'aria-label': 'Endpoint'})
		this.#split = h('div', {class: 'rsplit'}, this.#tree.element, this.#detail)
		this.#openapi = h('a', {class: 'btn', target: '_blank', rel: 'noreferrer', hidden: true}, icon('download'), h('span', {class: 'txt'}, 'openapi.json'))
		const bar = h('div', {class: 'bar'}, field.element, this.#openapi)
		this.element = h('div', {class: 'main-in'}, bar, this.#split)
		void context.feed.refreshMetrics()
	}

	update(state, address) {
		if (this.#input.value !== address.q) this.#input.value = address.q
		this.#showTree(address)
		this.#back.href = formatAddress({view: 'routes', q: address.q})
		this.#openapi.hidden = state.settings.openapi === null
		if (state.settings.openapi !== null) this.#openapi.href = new URL(state.settings.openapi, location.origin).href
		const routes = this.#routes()
		const selected = routes.find(route => address.id === null || route.id === address.id)
		this.#split.classList.toggle('open', address.id !== null)
		if (selected !== undefined) this.#showDetail(selected, state)
		else if (routes.length > 0) this.#showUnknown(address)
	}

	#showUnknown({id, q}) {
		this.#shown = []
		const back = h('a', {class: 'btn', href: formatAddress({view: 'routes', q})}, 'All routes')
		fill(this.#detail, emptyState(\`There is no endpoint "\${id}".\`, back))
	}

	#showDetail(route, state) {
		const openapi = this.#context.shelf.openapi()
		const document = openapi.kind === 'ready' ? openapi.value : NO_DOCUMENT
		const isReading = openapi.kind === 'loading'
		const draft = isReading ? null : this.#context.draft
		const form = this.#formFor({context: this.#context, route, document, draft})
		const next = [route, document, isReading, form, state.endpoints, state.app?.root, state.settings.editor]
		if (!isSame(next, this.#shown)) {
			const isOther = this.#shown[0] !== route
			this.#shown = next
			keepFocus(this.#detail, () => fill(this.#detail, routeDetail({route, document, state, isReading, back: this.#back}, form.element)))
			if (isOther) this.#detail.scrollTop = 0
		}
		if (isReading || (draft === null && this.#context.focusedForm !== route.id)) return
		this.#context.draft = null
		this.#context.focusedForm = null
		form.focus()
	}

	#formFor(source) {
		const {route, document, draft} = source
		const currentForm = this.#form
		const {versionHeader} = this.#context.store.state.settings
		const next = [route, document, versionHeader]
		if (currentForm !== null && draft === null && isSame(next, this.#formSources)) return currentForm
		this.#formSources = next
		const form = buildForm({...route, versionHeader}, findOperation(route, document), null)
		const fields = JSON.stringify([route.id, form])
		if (currentForm !== null && draft === null && fields === this.#fields) return currentForm
		this.#fields = fields
		this.#form = new TryIt(source)
		if (currentForm?.route === route.id && draft === null) this.#form.keepTyped(currentForm)
		return this.#form
	}

	command(command) {
		if (command === 'close' && this.#context.address().id !== null) this.#context.go({...this.#context.address(), id: null})
		else if (command === 'next' || command === 'previous') this.#step(command === 'next' ? 1 : -1)
		else if (command === 'filter') this.#focus()
		else return false
		return true
	}

	#routes() {
		const routes = this.#context.shelf.routes()
		return routes.kind === 'ready' ? routes.value.routes : []
	}

	#step(by) {
		const {rows} = this.#tree
		const index = rows.findIndex(({route}) => route.id === this.#context.address().id)
		const next = rows[clamp(index + by, 0, rows.length - 1)]
		if (next === undefined) return
		this.#context.go({...this.#context.address(), id: next.route.id}, 'replace')
		this.#tree.followFocus()
	}

	#showTree(address) {
		const routes = this.#context.shelf.routes()
		const {endpoints} = this.#context.store.state
		const next = [routes, endpoints, address.id, address.q]
		if (isSame(next, this.#treeSources)) return
		this.#treeSources = next
		if (routes.kind === 'loading') this.#tree.showMessage('Reading the routes …')
		else if (routes.kind === 'failed') this.#tree.showMessage(\`The routes could not be read. \${routes.error.message}.\`)
		else this.#tree.show(routes.value, endpoints, address)
	}
}

// ui/views/tabs/compare.ts

function comparePanel({summary, context}) {
	const {records} = context.store.state
	const {previous, pinned} = candidatesFor(summary, records)
	const original = findOriginal(summary, records)
	const choices = []
	if (original !== null) choices.push(['Original', original])
	if (previous !== null) choices.push(['Previous', previous])
	for (const record of pinned) choices.push([\`Pinned \${clock(record.time)[0]}\`, record])
	const [first] = choices
	if (first === undefined) return emptyMessage('No earlier call of this endpoint went well, and none is pinned.')
	const box = h('div', {class: 'stack'})
	const show = index => {
		const [, other] = choices[index] ?? first
		for (const [position, button] of buttons.entries()) button.setAttribute('aria-pressed', String(position === index))
		fill(box, comparison(other, summary))
	}
	const buttons = choices.map(([label], index) => textButton(label, () => show(index), ''))
	const bar = h('div', {class: 'seg', role: 'group', 'aria-label': 'Compare with'}, buttons)
	show(0)
	return [choices.length > 1 && h('div', {class: 'acts'}, bar), box]
}

function comparison(before, after) {
	const link = h('a', {class: 'link mono', href: formatAddress({id: before.id})}, before.id)
	const title = comparisonTitle(before, after)
	const [statusBefore, statusAfter] = [before['http.response.status_code'], after['http.response.status_code']]
	return [
		section(title, link, deltaTable(compareSummaries(before, after))),
		section(
			'Differences',
			null,
			pairs([
				['Status', statusBefore === statusAfter ? \`same, \${statusAfter}\` : \`\${statusBefore}, then \${statusAfter}\`],
				['Service calls', \`\${before['dev.db']}, then \${after['dev.db']}\`],
				['Queries', queryCounts(before, after)],
				['Response size', sizes(before, after)],
				['Query', before['url.query'] === after['url.query'] ? 'same' : 'another'],
			]),
		),
	]
}

function queryCounts(before, after) {
	const [first, second] = [before['dev.queries'], after['dev.queries']]
	return first + second === 0 ? null : \`\${first}, then \${second}\`
}

function comparisonTitle(before, after) {
	if (before.id === after['dev.replayOf']) return 'Against the request that was replayed'
	return before['dev.pinned'] ? 'Against a pinned call' : 'Against the previous successful call'
}

function sizes(before, after) {
	return \`\${formatBytes(before['http.response.body.size'])}, then \${formatBytes(after['http.response.body.size'])}\`
}

function deltaTable(deltas) {
	const rows = deltas.map(({name, before, after, isWorse}) => {
		const change = Math.abs(after - before)
		const text = change < 0.005 ? 'same' : \`\${after > before ? '+' : '−'}\${ms(change)}\`
		return [name, ms(before), ms(after), isWorse ? h('span', {class: 's5'}, text) : text]
	})
	return table$1(['Phase', 'Before', 'This call', 'Change'], rows, true)
}

// ui/views/tabs/queries.ts

const MAX_GROUPS = 50

const MAX_TEXT_LENGTH = 180

const MAX_PARAMS = 5

const COLUMNS = [
	['order', '#', 'qn', true],
	['query', 'Query', '', true],
	['rows', 'Result', 'r', false],
	['time', 'Time', 'r', false],
]

const states = new WeakMap()

function queriesPanel(source) {
	const {summary, record} = source
	if (record.queries.length === 0) return emptyMessage('The queries of this request were counted and not kept.')
	const total = Math.max(summary['dev.duration'], 1e-6)
	const longest = Math.max(...record.queries.map(({duration}) => duration ?? 0))
	const more = record.queriesMore > 0 && emptyMessage(\`\${int(record.queriesMore)} more were counted and not kept.\`)
	const note = record.queries.length !== 1 && h('span', {class: 'num'}, \`longest \${ms(longest)}\`)
	const title = summarizeQueries(summary, record)
	return [section(title, note, timeline(record.queries, total), queryTable(source, total), more)]
}

function timeline(queries, total) {
	const pieces = queries.map(query => {
		const {start, length} = querySpan(query, total)
		const color = query.error === null ? 'var(--p-query)' : 'var(--g-bad)'
		return h('span', {css: {'--x': \`\${start * 100}%\`, '--w': \`\${length * 100}%\`, '--c': color}})
	})
	return h('div', {class: 'tr qline', 'aria-hidden': 'true'}, pieces)
}

function queryTable(source, total) {
	const {record} = source
	const state = states.get(record) ?? {sorting: {key: 'order', isReversed: false}, open: new Set(), isWhole: false}
	states.set(record, state)
	const groups = groupQueries(record.queries, record.repeated)
	const [head, body, more] = [h('tr', null), h('tbody', null), h('p', {class: 'more'})]
	const draw = () => {
		const sorted = sortGroups(groups, state.sorting.key, state.sorting.isReversed)
		const listed = state.isWhole ? sorted : sorted.slice(0, MAX_GROUPS)
		const choose = sorting => {
			state.sorting = sorting
			redraw()
		}
		fill(
			head,
			COLUMNS.map(column => sortHead(column, state.sorting, choose)),
		)
		fill(
			body,
			listed.map(group => groupRows(group, {...source, total, state, draw: redraw})),
		)
		const moreText = formatCount(sorted.length - listed.length, 'more statement')
		more.hidden = listed.length === sorted.length
		fill(more, \`\${moreText} not shown.\`, textButton('Show all', showAll))
	}
	const showAll = () => {
		state.isWhole = true
		redraw()
	}
	const table = h('table', {class: 'qtab'}, h('caption', {class: 'vh'}, 'Queries'), h('thead', null, head), body)
	const box = h('div', {class: 'qbox'}, table, more)
	const redraw = () => keepFocus(box, draw)
	draw()
	return box
}

function groupRows(group, drawing) {
	const {first, index, members, total, rows} = group
	const isOpen = drawing.state.open.has(index)
	const isSingle = members.length === 1
	const status = isSingle ? first.status : null
	const duration = isSingle ? first.duration : total
	const share = busyShare(
		members.map(({query}) => query),
		drawing.total,
	)
	const row = h(
		'tr',
		{class: group.errors > 0 ? 'bad' : null},
		h('td', {class: 'qn'}, openButton(group, drawing)),
		h('td', null, headLine(group, drawing), isOpen ? wholeText(first.kind, first.text) : clampedText(group, drawing), isSingle ? queryFacts(first, isOpen, drawing) : groupFacts(group, drawing)),
		h('td', {class: 'r num'}, outcome(rows, status)),
		h('td', {class: 'r num'}, timeCell(durationText({duration}), share)),
	)
	if (isSingle || !isOpen) return row
	return [row, members.map(member => memberRow(member, group, drawing))]
}

function openButton({index, members}, {state, draw}) {
	const isOpen = state.open.has(index)
	const toggle = () => {
		if (!state.open.delete(index)) state.open.add(index)
		draw()
	}
	const label = members.length === 1 ? \`Query \${index + 1}\` : \`\${members.length} queries like query \${index + 1}\`
	const attributes = {type: 'button', 'aria-expanded': String(isOpen), 'aria-label': label, on: {click: toggle}}
	return h('button', attributes, h('span', {'aria-hidden': 'true'}, isOpen ? '▾' : '▸'), String(index + 1))
}

function headLine({first, index, members, isRepeated}, {record}) {
	const calls = members.flatMap(({query}) => (query.call === null ? [] : (record.calls[query.call]?.name ?? [])))
	const origin = [...(first.target === null ? [] : [first.target]), ...new Set(calls)]
	const copy = () => void copyText(first.text, \`the text of query \${index + 1}\`)
	return h(
		'div',
		{class: 'qh'},
		members.length > 1 && h('b', {class: 'num'}, \`\${members.length} ×\`),
		h('span', {class: 'tag'}, first.kind),
		isRepeated && h('span', {class: 'tag note', title: 'Looks like one query per row'}, 'N+1'),
		h('span', {class: 'qv'}, origin.join(', ')),
		iconButton('copy', \`Copy the text of query \${index + 1}\`, {class: 'btn icon ghost', on: {click: copy}}),
	)
}

function clampedText({first, index}, {state, draw}) {
	const show = () => {
		state.open.add(index)
		draw()
	}
	const isLong = first.text.length > MAX_TEXT_LENGTH
	return [compactText(first.kind, first.text), isLong && textButton('Show all', show, 'link')]
}

function queryFacts(query, isWhole, {context}) {
	const {params, error, site} = query
	return [
		params !== null && h('div', {class: isWhole ? 'qp whole' : 'qp'}, isWhole ? paramList(params) : params),
		error !== null && h('p', {class: 'err'}, error),
		site && h('div', {class: 'qsite'}, placeMark(site, context.store.state)),
	]
}

function hasOneSite(members) {
	return new Set(members.map(({query}) => query.site && placeText(query.site))).size === 1
}

function groupFacts({first, params, members, errors}, {context}) {
	const [only] = params
	const moreCount = params.length - MAX_PARAMS
	const text =
		params.length === 1
			? ['always with the same parameters: ', h('code', null, only)]
			: [\`\${int(params.length)} different parameters: \`, h('code', null, params.slice(0, MAX_PARAMS).join(' · ')), moreCount > 0 && \` and \${int(moreCount)} more\`]
	return [
		params.length > 0 && h('div', {class: 'qp'}, text),
		errors > 0 && h('p', {class: 'err'}, \`\${int(errors)} of \${int(members.length)} failed\`),
		first.site !== null && hasOneSite(members) && h('div', {class: 'qsite'}, placeMark(first.site, context.store.state)),
	]
}

function memberRow({index, query}, {first, members}, drawing) {
	const share = querySpan(query, drawing.total).length
	return h(
		'tr',
		{class: query.error === null ? 'qm' : 'qm bad'},
		h('td', {class: 'qn'}, index + 1),
		h('td', null, query.text !== first.text && compactText(query.kind, query.text), queryFacts(hasOneSite(members) ? {...query, site: null} : query, false, drawing)),
		h('td', {class: 'r num'}, outcome(query.rows, query.status)),
		h('td', {class: 'r num'}, timeCell(durationText(query), share)),
	)
}

function outcome(rows, status) {
	if (status !== null) return statusMark(status)
	return rows === null ? h('span', {class: 'dim'}, '–') : formatCount(rows, 'row')
}

function timeCell(text, share) {
	return [text, h('small', null, percent(share)), h('div', {class: 'sh', 'aria-hidden': 'true'}, h('i', {css: {'--w': \`\${share * 100}%\`}}))]
}

// ui/second-script.ts

addSecondScript({
	views: {routes: RoutesView, performance: PerformanceView, logs: LogsView, problems: ProblemsView, health: HealthView},
	FileOpener,
	TryIt,
	comparePanel,
	queriesPanel,
	openHelp,
	openPalette,
})
`

/** Sources of the page's scripts for `script-src`. */
export const SCRIPT_HASHES: readonly string[] = ['sha256-Z3/96ztG0XqXKtM5y/MxHj1ZizChfv2MIWkZWsm+1U0=', 'sha256-D6srVEDsSsJEmJ/4GgH46DNsktRH67/fYSQqqmITt/E=']

/** Source of the page's style for `style-src`. */
export const STYLE_HASH: string = 'sha256-OMK8vGun+eqgHdmW7Uv9/NyxDIX+v82MgxHp8R3Dz2M='
