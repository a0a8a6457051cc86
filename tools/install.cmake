# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where; docs/install.md is the page of it. Nothing installed names the folder that it
# stands in, so the whole may be moved: programs find it from their own place (dpi/places.h), the
# pkg-config file from its own.
set(tree share/warpref)

install(TARGETS warpref DESTINATION bin)
install(TARGETS warpref_library LIBRARY DESTINATION lib)
install(TARGETS warpref_static ARCHIVE DESTINATION lib)
configure_file(${CMAKE_CURRENT_LIST_DIR}/warpref.pc.in ${CMAKE_BINARY_DIR}/warpref.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/warpref.pc DESTINATION lib/pkgconfig)

# Headers name each other from the top of the tree, and so they stand here.
file(GLOB headers RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/refmodel/*.h
  ${CMAKE_SOURCE_DIR}/refmodel/*/*.h ${CMAKE_SOURCE_DIR}/dpi/gen/*_port.h)
foreach(header ${headers} dpi/align.h dpi/block.h dpi/block_wave.h dpi/checker.h dpi/port.h dpi/rtl_abi.h dpi/simulator.h
    waveforms/fst.h waveforms/save.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION include/warpref/${folder})
endforeach()
install(FILES dpi/gen/warpref.h shell/host/warpref_reference.h DESTINATION include/warpref)

# Verilated blocks, and the runtime with which more of them are made.
get_property(objects GLOBAL PROPERTY WR_RTL_OBJECTS)
install(PROGRAMS ${objects} DESTINATION lib/warpref)
install(TARGETS wr_verilated ARCHIVE DESTINATION lib/warpref)

# The CUDA runtime of programs that `warpref cc` makes, and its names for those of nvcc.
install(TARGETS wr_cudart LIBRARY DESTINATION lib/warpref)
install(TARGETS wr_cudart_11.0 wr_cudart_12 wr_cudart_13 LIBRARY DESTINATION lib/warpref/cudart)

# The tree, as far as commands read it. `warpref state` compares what a block's benches are made of.
install(DIRECTORY area cuda docs dpi examples formal kernels refmodel report rtl state studies testbench
  DESTINATION ${tree} USE_SOURCE_PERMISSIONS PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)
install(DIRECTORY shell/config DESTINATION ${tree}/shell FILES_MATCHING PATTERN *.yaml)
install(FILES shell/host/reference.py DESTINATION ${tree}/shell/host)
install(DIRECTORY vectors/golden DESTINATION ${tree}/vectors)
foreach(part blocks coverage fuzz mutants oracle)
  install(DIRECTORY tests/${part} DESTINATION ${tree}/tests USE_SOURCE_PERMISSIONS
    PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)
endforeach()
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/*.py)
install(FILES ${scripts} DESTINATION ${tree}/tools)
install(PROGRAMS tools/setup.sh DESTINATION ${tree}/tools)
install(FILES tools/packages.txt DESTINATION ${tree}/tools)
install(FILES LICENSE DESTINATION ${tree})

# The Python module, where Debian's Python looks for modules if the prefix is /usr, and where the tree has it.
set(modules lib/python3/dist-packages)
install(DIRECTORY python/warpref DESTINATION ${modules} PATTERN __pycache__ EXCLUDE)
install(CODE "file(CREATE_LINK ../../${modules} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${tree}/python\" SYMBOLIC)")
