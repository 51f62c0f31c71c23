//! Latin letters with diacritics and their base letters.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Lower-case letters that v5 clients replace in names, by replacement (`normalizeName` of
/// bkper-js).
const LETTERS: [(&str, &str); 41] = [
    ("a", "ⓐａẚàáâầấẫẩãāăằắẵẳȧǡäǟảåǻǎȁȃạậặḁąⱥɐ"),
    ("aa", "ꜳ"),
    ("ae", "æǽǣ"),
    ("ao", "ꜵ"),
    ("au", "ꜷ"),
    ("av", "ꜹꜻ"),
    ("ay", "ꜽ"),
    ("b", "ⓑｂḃḅḇƀƃɓ"),
    ("c", "ⓒｃćĉċčçḉƈȼꜿↄ"),
    ("d", "ⓓｄḋďḍḑḓḏđƌɖɗꝺ"),
    ("dz", "ǳǆ"),
    ("e", "ⓔｅèéêềếễểẽēḕḗĕėëẻěȅȇẹệȩḝęḙḛɇɛǝ"),
    ("f", "ⓕｆḟƒꝼ"),
    ("g", "ⓖｇǵĝḡğġǧģǥɠꞡᵹꝿ"),
    ("h", "ⓗｈĥḣḧȟḥḩḫẖħⱨⱶɥ"),
    ("hv", "ƕ"),
    ("i", "ⓘｉìíîĩīĭïḯỉǐȉȋịįḭɨı"),
    ("j", "ⓙｊĵǰɉ"),
    ("k", "ⓚｋḱǩḳķḵƙⱪꝁꝃꝅꞣ"),
    ("l", "ⓛｌŀĺľḷḹļḽḻſłƚɫⱡꝉꞁꝇ"),
    ("lj", "ǉ"),
    ("m", "ⓜｍḿṁṃɱɯ"),
    ("n", "ⓝｎǹńñṅňṇņṋṉƞɲŉꞑꞥ"),
    ("nj", "ǌ"),
    ("o", "ⓞｏòóôồốỗổõṍȭṏōṑṓŏȯȱöȫỏőǒȍȏơờớỡởợọộǫǭøǿɔꝋꝍɵ"),
    ("oi", "ƣ"),
    ("oo", "ꝏ"),
    ("ou", "ȣ"),
    ("p", "ⓟｐṕṗƥᵽꝑꝓꝕ"),
    ("q", "ⓠｑɋꝗꝙ"),
    ("r", "ⓡｒŕṙřȑȓṛṝŗṟɍɽꝛꞧꞃ"),
    ("s", "ⓢｓßśṥŝṡšṧṣṩșşȿꞩꞅẛ"),
    ("t", "ⓣｔṫẗťṭțţṱṯŧƭʈⱦꞇ"),
    ("tz", "ꜩ"),
    ("u", "ⓤｕùúûũṹūṻŭüǜǘǖǚủůűǔȕȗưừứữửựụṳųṷṵʉ"),
    ("v", "ⓥｖṽṿʋꝟʌ"),
    ("vy", "ꝡ"),
    ("w", "ⓦｗẁẃŵẇẅẘẉⱳ"),
    ("x", "ⓧｘẋẍ"),
    ("y", "ⓨｙỳýŷỹȳẏÿỷẙỵƴɏỿ"),
    ("z", "ⓩｚźẑżžẓẕƶȥɀⱬꝣ"),
];

/// Returns the base letters of a lower-case letter, if it has any.
pub(super) fn plain(letter: char) -> Option<&'static str> {
    static PLAIN: LazyLock<HashMap<char, &'static str>> =
        LazyLock::new(|| all().map(|(plain, letter)| (letter, plain)).collect());
    PLAIN.get(&letter).copied()
}

/// Iterates over all letters of the table with their base letters.
pub(super) fn all() -> impl Iterator<Item = (&'static str, char)> {
    LETTERS.iter().flat_map(|(plain, letters)| letters.chars().map(|letter| (*plain, letter)))
}
