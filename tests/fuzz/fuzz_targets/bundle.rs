//! Any bytes are refused as a bundle, or are a bundle that can be replayed: without a panic, a large allocation, or a file that its manifest
//! does not list. A review that is made from it is the recorded one.
#![no_main]

use diffsan_bundle::{comment, read_archive, read_bundle, write_archive};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(bundle) = read_bundle(data) {
        for file in &bundle.manifest.files {
            assert!(!file.path.contains("..") && !file.path.starts_with('/'), "{}", file.path);
        }
        let _ = bundle.replay();
    }
    // The contents are also read where the bytes around them are valid.
    if let Ok((files, _)) = read_archive(data) {
        let Some(manifest) = files.get("manifest.json") else { return };
        let note = comment(manifest);
        let packed = write_archive(&files, &note).expect("an archive");
        assert_eq!(read_archive(&packed).expect("the same archive"), (files.clone(), note));
        if let Ok(bundle) = read_bundle(&packed) {
            let _ = bundle.replay();
        }
    }
    // Records of any form are refused, or give a review.
    if let Ok(record) = serde_json::from_slice(data) {
        let answer = String::from_utf8_lossy(data);
        let _ = diffsan_placing::review(&record, &|_| Some(answer.clone().into_owned()));
    }
});
